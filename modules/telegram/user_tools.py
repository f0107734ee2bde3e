"""The tools of the owner's account: thin, one operation each, through the account that the call names."""

from collections.abc import Sequence

from butler.contract.integration import Idempotency
from butler.contract.module import ModuleContext
from butler.contract.tools import FollowUp, ToolSpec, input_tool, output_tool
from modules.telegram.user_args import (
    DeleteArgs,
    EditArgs,
    FindGroupArgs,
    GetUpdatesArgs,
    HistoryArgs,
    ListDialogsArgs,
    ReadMessageArgs,
    ReplyArgs,
    SendArgs,
)
from modules.telegram.user_calls import Accounts
from modules.telegram.user_groups import UserGroups
from modules.telegram.user_previews import (
    preview_delete,
    preview_dialogs,
    preview_edit,
    preview_group,
    preview_history,
    preview_read,
    preview_reply,
    preview_send,
    preview_updates,
)
from modules.telegram.user_reading import UserReading
from modules.telegram.user_writing import UserWriting, correction, deletion, telegram_deduplicates

_DELETION = FollowUp("user_telegram_delete_message", deletion)
_CORRECTION = FollowUp("user_telegram_edit_message", correction)
_DIALOGS = (
    "count",
    "complete",
    "items.0.id",
    "items.0.name",
    "items.0.kind",
    "items.0.unread",
    "items.0.at",
    "muted_left_out",
)
_MESSAGES = ("count", "items.0.message_id", "items.0.chat", "items.0.sender", "items.0.at", "items.0.text")
_READ = (
    *("message.chat", "message.sender", "message.at", "message.text", "message.attachments"),
    *("message.attachments.0.sha256", "forward.body", "forward.attachments"),
)
_SENT = ("message_id",)


class UserTools:
    """The tools by which the owner's accounts are read and written, the default account first."""

    def __init__(self, accounts: Accounts, context: ModuleContext) -> None:
        self._names = accounts.names
        self._reading = UserReading(accounts, context)
        self._groups = UserGroups(accounts)
        self._writing = UserWriting(accounts)

    def inputs(self) -> Sequence[ToolSpec]:
        reading, names = self._reading, self._names
        return (
            input_tool(
                "user_telegram_list_dialogs",
                "Lists the person's newest Telegram conversations, or those with something unread.",
                ListDialogsArgs,
                reading.list_dialogs,
                preview_dialogs,
                names,
                facts=_DIALOGS,
            ),
            input_tool(
                "user_telegram_get_updates",
                "Lists what others wrote to the person on Telegram lately, in all conversations.",
                GetUpdatesArgs,
                reading.get_updates,
                preview_updates,
                names,
                facts=(*_MESSAGES, "complete", "complete_until"),
            ),
            input_tool(
                "user_telegram_get_message_history",
                "Lists the newest messages of one of the person's Telegram conversations, or looks for words in it.",
                HistoryArgs,
                reading.history,
                preview_history,
                names,
                complete=reading.find_history,
                facts=(*_MESSAGES, "choices.0.id"),
            ),
            input_tool(
                "user_telegram_find_group",
                "Finds the Telegram group that the person means to write into, by what they call it.",
                FindGroupArgs,
                self._groups.find,
                preview_group,
                names,
                facts=("count", "to", "group", "choices.0.address"),
            ),
            input_tool(
                "user_telegram_read_message",
                "Reads one message of a Telegram conversation of the person whole, with its files.",
                ReadMessageArgs,
                reading.read_message,
                preview_read,
                names,
                facts=_READ,
            ),
        )

    def outputs(self) -> Sequence[ToolSpec]:
        writing, names = self._writing, self._names
        return (
            output_tool(
                "user_telegram_send_message",
                "Sends a Telegram message in the person's own name, with files where there are any.",
                SendArgs,
                writing.send,
                preview_send,
                reconcile=telegram_deduplicates,
                idempotency=Idempotency.PROVIDER,
                accounts=names,
                inverse=_DELETION,
                correction=_CORRECTION,
                facts=_SENT,
            ),
            output_tool(
                "user_telegram_reply_to_message",
                "Answers a message of one of the person's Telegram conversations in the person's own name.",
                ReplyArgs,
                writing.reply,
                preview_reply,
                reconcile=telegram_deduplicates,
                idempotency=Idempotency.PROVIDER,
                accounts=names,
                complete=writing.complete_reply,
                inverse=_DELETION,
                correction=_CORRECTION,
                facts=_SENT,
            ),
            output_tool(
                "user_telegram_edit_message",
                "Changes the text of a Telegram message that the person wrote.",
                EditArgs,
                writing.edit,
                preview_edit,
                reconcile=writing.reconcile_edit,
                idempotency=Idempotency.STATE,
                accounts=names,
                complete=writing.complete_edit,
            ),
            output_tool(
                "user_telegram_delete_message",
                "Deletes Telegram messages that the person wrote, for everybody.",
                DeleteArgs,
                writing.delete,
                preview_delete,
                reconcile=writing.reconcile_delete,
                idempotency=Idempotency.STATE,
                accounts=names,
                complete=writing.complete_delete,
            ),
        )
