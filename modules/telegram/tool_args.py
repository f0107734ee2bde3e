"""The arguments of the bot's tools, and the previews of its calls."""

from typing import Annotated

from pydantic import AfterValidator, Field

from butler.contract.errors import Refuse
from butler.contract.records import ClosedRecord
from butler.contract.speech import say
from butler.contract.tools import Preview, Recipient, ToolMetadata
from modules.telegram.address import Address
from modules.telegram.text import MESSAGE_LIMIT, utf16_len


def checked_address(text: str) -> str:
    """Return an address in its written form; raise `ValueError`."""
    try:
        return str(Address.parse(text))
    except Refuse as error:
        raise ValueError(error.detail) from None


def _recipient(to: Recipient) -> Recipient:
    checked_address(to.address)
    return to


def _message_text(text: str) -> str:
    length = utf16_len(text)
    if length > MESSAGE_LIMIT:
        raise ValueError(
            say(
                "a Telegram message holds at most {limit} characters, this text has {length}",
                limit=MESSAGE_LIMIT,
                length=length,
            )
        )
    if not text.strip():
        raise ValueError(say("a message needs a text"))
    return text


TelegramAddress = Annotated[str, AfterValidator(checked_address)]
TelegramRecipient = Annotated[Recipient, AfterValidator(_recipient)]
MessageText = Annotated[str, AfterValidator(_message_text)]


class Args(ClosedRecord):
    """Frozen, with known names only."""


class SendMessageArgs(Args):
    """Whom to write to, and what."""

    to: TelegramRecipient = Field(
        description="A person who has started the bot, or a group that it is in.", examples=[{"contact": "c1"}]
    )
    text: MessageText = Field(
        description="Plain text without markup, at most 4,096 characters.", examples=["Dinner is at eight."]
    )


class ReplyArgs(SendMessageArgs):
    """The message of that chat which is answered."""

    to: TelegramRecipient = Field(
        description="The chat of the message that is answered.", examples=[{"address": "telegram:1002"}]
    )
    message_id: int = Field(gt=0, description="The message that is answered.", examples=[{"handle": "message-2"}])


class GetUpdatesArgs(Args):
    """How many of the newest."""

    limit: int = Field(default=20, ge=1, le=200, description="How many at most.", examples=[5])


class GetChatMessagesArgs(Args):
    """Which chat, and how many of its newest messages."""

    chat: TelegramAddress = Field(description="The person or group that it is with.", examples=[{"contact": "c1"}])
    limit: int = Field(default=50, ge=1, le=200, description="How many at most.", examples=[5])


def preview_send(butler: str, args: SendMessageArgs) -> Preview:
    """Return the preview of a message."""
    facts = ((say("Answers message"), str(args.message_id)),) if isinstance(args, ReplyArgs) else ()
    effect = say("Sends a Telegram message as {butler}, not as you", butler=butler)
    return Preview(effect=effect, recipients=(args.to,), body=args.text, facts=facts)


BOT_METADATA = {
    "bot_telegram_get_updates": ToolMetadata.of(option="limit"),
    "bot_telegram_get_chat_messages": ToolMetadata.of(target="chat", option="limit"),
    "bot_telegram_send_message": ToolMetadata.of(recipient="to", content="text"),
    "bot_telegram_reply_to_message": ToolMetadata.of(recipient="to", content="text", target="message_id"),
}
