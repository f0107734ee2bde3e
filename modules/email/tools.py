"""The mail tools by identity and direction. Their handlers live with the mailbox they act on."""

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from butler.contract.integration import Idempotency
from butler.contract.names import ApprovalDefault, Direction, ToolName
from butler.contract.tools import Preview, ReconcileHandler, ToolHandler, ToolSpec, input_tool
from modules.email.args import (
    CheckInboxArgs,
    ReadMailArgs,
    ReplyArgs,
    SearchMailArgs,
    SendMailArgs,
    preview_bot_send,
    preview_reply,
    preview_user_read,
    preview_user_search,
    preview_user_send,
)
from modules.email.bot_mailbox import BotMailbox
from modules.email.user_mailbox import UserMailbox


def bot_inputs(mailbox: BotMailbox) -> tuple[ToolSpec, ...]:
    """What reads the butler's mailbox."""
    return (
        input_tool("bot_email_search_inbox", "Find mails in the butler's own mailbox.", SearchMailArgs, mailbox.search),
        input_tool("bot_email_read_message", "Read one mail of the butler's own mailbox.", ReadMailArgs, mailbox.read),
        input_tool(
            "bot_email_check_and_route_inbox",
            "Look for new mail to the butler now, and put what is new into the inbox.",
            CheckInboxArgs,
            mailbox.check_inbox,
        ),
    )


def bot_outputs(mailbox: BotMailbox) -> tuple[ToolSpec, ...]:
    """What leaves from the butler's address."""
    return (
        _output(
            "bot_email_send_message",
            "Send a mail from the butler's own address.",
            SendMailArgs,
            mailbox.send,
            mailbox.reconcile,
            preview_bot_send,
        ),
        _output(
            "bot_email_reply_to_thread",
            "Answer a mail that the butler received, in its thread.",
            ReplyArgs,
            mailbox.reply,
            mailbox.reconcile,
            preview_reply,
        ),
    )


def user_inputs(mailbox: UserMailbox) -> tuple[ToolSpec, ...]:
    """What reads the person's mailbox."""
    return (
        input_tool(
            "user_email_search_inbox",
            "Find mails in the person's own mailbox.",
            SearchMailArgs,
            mailbox.search,
            preview_user_search,
        ),
        input_tool(
            "user_email_read_message",
            "Read one mail of the person's own mailbox.",
            ReadMailArgs,
            mailbox.read,
            preview_user_read,
        ),
    )


def user_outputs(mailbox: UserMailbox) -> tuple[ToolSpec, ...]:
    """What leaves in the person's name."""
    return (
        _output(
            "user_email_send_message",
            "Send a mail as the person, from their own address.",
            SendMailArgs,
            mailbox.send,
            mailbox.reconcile,
            preview_user_send,
            ApprovalDefault.ALWAYS,
        ),
    )


def _output(
    name: str,
    description: str,
    args: type[BaseModel],
    handler: ToolHandler,
    reconcile: ReconcileHandler,
    preview: Callable[[Any], Preview],
    approval: ApprovalDefault = ApprovalDefault.CONDITIONAL,
) -> ToolSpec:
    return ToolSpec(
        tool_name=name,
        channel="email",
        direction=Direction.OUTPUT,
        identity=ToolName.parse(name).identity,
        approval_default=approval,
        description=description,
        args=args,
        handler=handler,
        idempotency=Idempotency.NONE,
        preview=preview,
        reconcile=reconcile,
    )
