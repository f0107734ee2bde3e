"""The arguments of this module's tools, and what a card shows of a call."""

from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from butler.contract.errors import Refuse
from butler.contract.tools import ArgMetadata, ArgRole, Preview, Recipient, ToolMetadata
from modules.telegram.address import Address
from modules.telegram.text import MESSAGE_LIMIT, utf16_len


def _address(text: str) -> str:
    try:
        return str(Address.parse(text))
    except Refuse as error:
        raise ValueError(error.detail) from None


def _recipient(to: Recipient) -> Recipient:
    _address(to.address)
    return to


def _message_text(text: str) -> str:
    length = utf16_len(text)
    if length > MESSAGE_LIMIT:
        raise ValueError(f"a Telegram message holds at most {MESSAGE_LIMIT} characters, this text has {length}")
    if not text.strip():
        raise ValueError("a message needs a text")
    return text


TelegramAddress = Annotated[str, AfterValidator(_address)]
TelegramRecipient = Annotated[Recipient, AfterValidator(_recipient)]
MessageText = Annotated[str, AfterValidator(_message_text)]


class _Args(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SendMessageArgs(_Args):
    """Whom to write to, and what."""

    to: TelegramRecipient
    text: MessageText


class ReplyArgs(SendMessageArgs):
    """The message of that chat which is answered."""

    message_id: int = Field(gt=0)


class GetUpdatesArgs(_Args):
    """How many of the newest."""

    limit: int = Field(default=20, ge=1, le=200)


class GetChatMessagesArgs(_Args):
    """Which chat, and how many of its newest messages."""

    chat: TelegramAddress
    limit: int = Field(default=50, ge=1, le=200)


class ListDialogsArgs(_Args):
    """How many of the newest conversations."""

    limit: int = Field(default=20, ge=1, le=100)


def preview_send(effect: str, args: SendMessageArgs) -> Preview:
    """A send as a card shows it."""
    facts = (("Answers message", str(args.message_id)),) if isinstance(args, ReplyArgs) else ()
    return Preview(effect=effect, recipients=(args.to,), body=args.text, facts=facts)


def preview_history(args: GetChatMessagesArgs) -> Preview:
    """A look into a conversation as a card shows it."""
    whom = args.chat.removeprefix("telegram:") if args.chat.startswith("telegram:@") else args.chat
    effect = f"Reads {_newest(args.limit, 'message')} of your Telegram conversation with {whom}"
    return Preview(effect=effect, told=("chat", "limit"))


def preview_dialogs(args: ListDialogsArgs) -> Preview:
    """A look at the list of conversations as a card shows it."""
    return Preview(effect=f"Lists {_newest(args.limit, 'conversation')} of your Telegram account", told=("limit",))


def _newest(count: int, what: str) -> str:
    return f"the newest {what}" if count == 1 else f"the newest {count} {what}s"


_TO = ArgMetadata(ArgRole.RECIPIENT)
_TEXT = ArgMetadata(ArgRole.CONTENT, sensitive=True)
_LIMIT = ArgMetadata(ArgRole.OPTION)
_CHAT = ArgMetadata(ArgRole.TARGET)

METADATA = {
    "bot_telegram_get_updates": ToolMetadata({"limit": _LIMIT}),
    "bot_telegram_get_chat_messages": ToolMetadata({"chat": _CHAT, "limit": _LIMIT}),
    "bot_telegram_send_message": ToolMetadata({"to": _TO, "text": _TEXT}),
    "bot_telegram_reply_to_message": ToolMetadata({"to": _TO, "text": _TEXT, "message_id": _CHAT}),
    "user_telegram_list_dialogs": ToolMetadata({"limit": _LIMIT}, sensitive_read=True),
    "user_telegram_get_message_history": ToolMetadata({"chat": _CHAT, "limit": _LIMIT}, sensitive_read=True),
    "user_telegram_send_message": ToolMetadata({"to": _TO, "text": _TEXT}),
}
