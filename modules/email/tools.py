"""The mail tools by identity and direction. Their handlers are in the modules of the mailboxes."""

from butler.contract.names import ApprovalDefault
from butler.contract.tools import ToolSpec, input_tool, output_tool
from modules.email.args import (
    CheckInboxArgs,
    DraftMessageArgs,
    DraftReplyArgs,
    ListThreadsArgs,
    ReadMailArgs,
    ReplyArgs,
    ReplyToThreadArgs,
    SearchMailArgs,
    SendMailArgs,
    UserReadArgs,
    UserSearchArgs,
    UserSendArgs,
    preview_bot_read,
    preview_bot_send,
    preview_draft_message,
    preview_draft_reply,
    preview_reply,
    preview_thread_reply,
    preview_user_read,
    preview_user_search,
    preview_user_send,
    preview_user_threads,
)
from modules.email.bot_mailbox import BotMailbox
from modules.email.invite_args import AnswerInviteArgs
from modules.email.invites import InviteAnswers
from modules.email.unsubscribe import Unsubscribing
from modules.email.unsubscribe_args import BotUnsubscribeArgs, UserUnsubscribeArgs, preview_unsubscribe
from modules.email.user_side import UserMailboxes

_FOUND = (
    *("count", "complete", "messages.0.message_id", "messages.0.from", "messages.0.subject", "messages.0.date"),
    "messages.0.unread",
)
_READ = (
    *("message.from", "message.subject", "message.date", "message.text", "message.attachments"),
    *("message.attachments.0.sha256", "forward.subject", "forward.body", "forward.attachments"),
)
_THREADS = (
    *("count", "complete", "threads.0.message_id", "threads.0.from", "threads.0.subject", "threads.0.date"),
    *("threads.0.messages", "threads.0.unread_messages"),
)


def bot_inputs(mailbox: BotMailbox) -> tuple[ToolSpec, ...]:
    """Return the tools that read the butler's mailbox."""
    return (
        input_tool(
            "bot_email_search_inbox",
            "Find mails in the butler's own mailbox.",
            SearchMailArgs,
            mailbox.search,
            facts=_FOUND,
        ),
        input_tool(
            "bot_email_read_message",
            "Read one mail of the butler's own mailbox.",
            ReadMailArgs,
            mailbox.read,
            preview_bot_read,
            facts=_READ,
        ),
        input_tool(
            "bot_email_check_and_route_inbox",
            "Look for new mail to the butler now, and put what is new into the inbox.",
            CheckInboxArgs,
            mailbox.check_inbox,
            facts=("new",),
        ),
    )


def bot_outputs(mailbox: BotMailbox, unsubscribing: Unsubscribing) -> tuple[ToolSpec, ...]:
    """Return the tools that send from the butler's address, or act on its mails."""
    return (
        output_tool(
            "bot_email_send_message",
            "Send a mail from the butler's own address.",
            SendMailArgs,
            mailbox.send,
            preview_bot_send,
            approval_default=ApprovalDefault.CONDITIONAL,
            reconcile=mailbox.reconcile,
            as_sent=mailbox.mail_as_sent,
        ),
        output_tool(
            "bot_email_reply_to_thread",
            "Answer a mail that the butler received, in its thread.",
            ReplyArgs,
            mailbox.reply,
            preview_reply,
            approval_default=ApprovalDefault.CONDITIONAL,
            reconcile=mailbox.reconcile,
            complete=mailbox.complete_reply,
            as_sent=mailbox.reply_as_sent,
        ),
        output_tool(
            "bot_email_unsubscribe",
            "Unsubscribe from the list of a mail that was sent or forwarded to the butler.",
            BotUnsubscribeArgs,
            unsubscribing.unsubscribe,
            preview_unsubscribe,
            complete=unsubscribing.complete,
        ),
    )


def user_inputs(mailboxes: UserMailboxes) -> tuple[ToolSpec, ...]:
    """Return the tools that read the owner's mailboxes."""
    return (
        input_tool(
            "user_email_search_inbox",
            "Find mails in the person's own mailbox.",
            UserSearchArgs,
            mailboxes.search,
            preview_user_search,
            mailboxes.accounts,
            facts=_FOUND,
        ),
        input_tool(
            "user_email_read_message",
            "Read one mail of the person's own mailbox.",
            UserReadArgs,
            mailboxes.read,
            preview_user_read,
            mailboxes.accounts,
            facts=_READ,
        ),
        input_tool(
            "user_email_list_threads",
            "List conversations of the person's own mailbox.",
            ListThreadsArgs,
            mailboxes.threads,
            preview_user_threads,
            mailboxes.accounts,
            facts=_THREADS,
        ),
    )


def user_outputs(
    mailboxes: UserMailboxes, invites: InviteAnswers, unsubscribing: Unsubscribing
) -> tuple[ToolSpec, ...]:
    """Return the tools that send in the owner's name, or save drafts for it."""
    names = mailboxes.accounts
    return (
        output_tool(
            "user_email_send_message",
            "Send a mail as the person, from their own address.",
            UserSendArgs,
            mailboxes.send,
            preview_user_send,
            reconcile=mailboxes.reconcile,
            accounts=names,
        ),
        output_tool(
            "user_email_reply_to_thread",
            "Answer a mail as the person, in its thread.",
            ReplyToThreadArgs,
            mailboxes.reply,
            preview_thread_reply,
            reconcile=mailboxes.reconcile,
            complete=mailboxes.complete_reply,
            accounts=names,
        ),
        output_tool(
            "user_email_draft_message",
            "Put a new mail into the person's Drafts, without sending it.",
            DraftMessageArgs,
            mailboxes.draft_message,
            preview_draft_message,
            reconcile=mailboxes.reconcile_draft,
            accounts=names,
        ),
        output_tool(
            "user_email_draft_reply",
            "Put an answer to a mail into the person's Drafts, without sending it.",
            DraftReplyArgs,
            mailboxes.draft_reply,
            preview_draft_reply,
            reconcile=mailboxes.reconcile_draft,
            complete=mailboxes.complete_reply,
            accounts=names,
        ),
        output_tool(
            "user_email_answer_invite",
            "Accept or decline an invitation as the person, or answer it with maybe.",
            AnswerInviteArgs,
            invites.answer,
            invites.preview,
            reconcile=mailboxes.reconcile,
            complete=invites.complete,
            accounts=names,
        ),
        output_tool(
            "user_email_unsubscribe",
            "Unsubscribe the person from the list of a mail in their own mailbox.",
            UserUnsubscribeArgs,
            unsubscribing.unsubscribe,
            preview_unsubscribe,
            complete=unsubscribing.complete,
            accounts=names,
        ),
    )
