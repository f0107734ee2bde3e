"""The arguments of the owner's account tools."""

from datetime import datetime
from typing import Annotated, Any, Self

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, model_validator

from butler.contract.arguments import Account
from butler.contract.mirror import ChatKind
from butler.contract.records import ClosedRecord
from butler.contract.speech import say
from butler.contract.tools import Attachment, InZone
from modules.telegram.text import CAPTION_LIMIT, MESSAGE_LIMIT, utf16_len
from modules.telegram.tool_args import Args, MessageText, TelegramRecipient, checked_address
from modules.telegram.user_files import LARGEST_FILE, MOST_IN_ALBUM
from modules.telegram.user_place import MessageId, fill_in_chat, placed


def _maybe_address(text: str) -> str:
    return checked_address(text) if text else ""


def _several(given: Any) -> Any:
    if isinstance(given, str):
        return (given,) if given.strip() else ()
    return given


Words = Annotated[str, Field(max_length=200)]
Name = Annotated[str, Field(max_length=200, pattern=r"\S")]
Called = Annotated[tuple[Name, ...], BeforeValidator(_several), Field(max_length=20)]
"""What the owner calls a conversation, with other words of the same meaning behind it; one name may stand alone."""
MaybeAddress = Annotated[str, AfterValidator(_maybe_address)]
Since = Annotated[datetime | None, Field(description="Written since this local time.", examples=["2026-03-02T09:00"])]
Unread = Annotated[bool, Field(description="Only what the owner has not read.", examples=[True])]
Muted = Annotated[bool, Field(description="Muted ones as well.", examples=[True])]
Files = Annotated[
    tuple[Attachment, ...],
    Field(max_length=MOST_IN_ALBUM, description="Up to ten files that go with it.", examples=[[{"handle": "file-1"}]]),
]
ReadFirst = Annotated[str, Field(json_schema_extra={"readOnly": True})]
"""What is read from Telegram before a call is shown: no language model sees it."""
ItsChat = Annotated[
    TelegramRecipient,
    Field(description="Its chat; left out: as the message says.", examples=[{"address": "telegram:1002"}]),
]


def _says_its_chat(schema: dict[str, Any]) -> None:
    """Take `to` off what has to be given, since a message's address includes its chat."""
    schema["required"] = [name for name in schema["required"] if name != "to"]


class OfAccount(Args):
    """What acts through one of the person's accounts; empty means the first one."""

    account: Account = ""


class ListDialogsArgs(OfAccount):
    """How many of the newest conversations; only those with something unread, and muted ones only if asked for."""

    limit: int = Field(default=20, ge=1, le=1000, description="How many at most.", examples=[5])
    unread: bool = Field(default=False, description="Only those with something unread.", examples=[True])
    muted: Muted = False


class GetUpdatesArgs(OfAccount):
    """What others wrote lately, in all conversations; those of muted ones only if asked for.

    Only what the owner has not read (`unread`), or since a time: a wall time without an offset is one of `in_zone`.
    """

    limit: int = Field(default=50, ge=1, le=200, description="How many at most.", examples=[5])
    unread: Unread = False
    since: Since = None
    muted: Muted = False
    in_zone: InZone = ""


class HistoryArgs(OfAccount):
    """The newest messages of one conversation.

    It is given by its address in `chat`, or in `called` by the words with which the owner calls it, and others of the
    same meaning. Of its messages only those that the owner has not read (`unread`), that hold words, or that were
    written since a time: a wall time without an offset is one of `in_zone`.
    """

    chat: MaybeAddress = Field(
        default="",
        description="A contact, or the address `telegram:ID`, of a topic `telegram:ID:TOPIC`, or `telegram:@name`.",
        examples=[{"contact": "c1"}],
    )
    called: Called = Field(
        default=(),
        description="Instead, the owner's words for it, then translations that its title may have.",
        examples=[["the family chat", "Familie"]],
    )
    limit: int = Field(default=50, ge=1, le=200, description="How many at most.", examples=[5])
    unread: Unread = False
    words: Words = Field(default="", description="Words that all have to stand in it.", examples=["keys"])
    since: Since = None
    in_zone: InZone = ""

    @model_validator(mode="after")
    def _one_conversation(self) -> Self:
        _named_once(self.chat, self.called)
        return self


class FindGroupArgs(OfAccount):
    """A group or a channel in which the owner may write: by what the owner calls it, or by its address."""

    called: Called = Field(
        default=(),
        description="The owner's words for it, then translations that its title may have.",
        examples=[["the family chat", "Familie"]],
    )
    chat: MaybeAddress = Field(
        default="", description="Instead, its address, where it is known.", examples=["telegram:-1002"]
    )

    @model_validator(mode="after")
    def _one_group(self) -> Self:
        _named_once(self.chat, self.called)
        return self


def _named_once(chat: str, called: tuple[str, ...]) -> None:
    if bool(chat) == bool(called):
        raise ValueError("name one conversation: its address in chat, or what it is called in called")


class ReadMessageArgs(OfAccount):
    """One message of a conversation; of an album, all of it. Where it stands, its id says, or else `chat`."""

    chat: MaybeAddress = Field(
        default="", description="Its chat; left out: as the message says.", examples=["telegram:1002"]
    )
    message_id: MessageId = Field(description="A message that was shown or found.", examples=[{"handle": "message-2"}])

    @model_validator(mode="before")
    @classmethod
    def _where_it_stands(cls, given: Any) -> Any:
        return placed(given, "chat")

    @model_validator(mode="after")
    def _in_a_chat(self) -> Self:
        if not self.chat:
            raise ValueError("say in which chat the message stands")
        return self


class GroupFound(ClosedRecord):
    """What a card says of a group that was found by its title; `members` is 0 where Telegram does not say it."""

    address: str
    kind: ChatKind
    members: int = Field(default=0, ge=0)


class MessageArgs(OfAccount):
    """Whom to write to, and what: a text, files with a text, or files alone."""

    to: TelegramRecipient = Field(
        description="A contact, or the address `telegram:ID`, of a topic `telegram:ID:TOPIC`, or `telegram:@name`.",
        examples=[{"contact": "c1"}],
    )
    text: str = Field(
        default="",
        description="Plain text as the owner would say it; at most 4,096 characters, with files 1,024.",
        examples=["I'll be ten minutes late"],
    )
    attachments: Files = ()

    @model_validator(mode="after")
    def _fits(self) -> Self:
        limit, length = CAPTION_LIMIT if self.attachments else MESSAGE_LIMIT, utf16_len(self.text)
        if length > limit and self.attachments:
            words = say(
                "at most {limit} characters can stand under a file, this text has {length}", limit=limit, length=length
            )
            raise ValueError(words)
        if length > limit:
            words = say(
                "at most {limit} characters can stand in a message, this text has {length}", limit=limit, length=length
            )
            raise ValueError(words)
        if not self.attachments and not self.text.strip():
            raise ValueError(say("a message needs a text or a file"))
        if any(attachment.size > LARGEST_FILE for attachment in self.attachments):
            raise ValueError(say("Telegram takes files of at most 2,000 MB"))
        if any(not attachment.size for attachment in self.attachments):
            raise ValueError(say("Telegram takes no empty files"))
        return self


class SendArgs(MessageArgs):
    """A new message. `group` is what an earlier step found out about the group that it goes to."""

    group: GroupFound | None = Field(
        default=None,
        description="The `group` that user_telegram_find_group found.",
        examples=[{"step": 1, "fact": "group"}],
    )


class ReplyArgs(MessageArgs):
    """The message of that chat which is answered.

    `answers` (what it says) and `topic` (where it stands, in a chat with topics) are read from Telegram before the
    answer is shown.
    """

    model_config = ConfigDict(json_schema_extra=_says_its_chat)

    to: ItsChat
    message_id: MessageId = Field(description="The message that is answered.", examples=[{"handle": "message-2"}])
    answers: ReadFirst = ""
    topic: int = Field(default=0, ge=0, json_schema_extra={"readOnly": True})

    @model_validator(mode="before")
    @classmethod
    def _where_it_stands(cls, given: Any) -> Any:
        return fill_in_chat(given)


class EditArgs(OfAccount):
    """The new text of one of the owner's own messages; `was` is read from Telegram before it is shown."""

    model_config = ConfigDict(json_schema_extra=_says_its_chat)

    to: ItsChat
    message_id: MessageId = Field(description="A message that the owner wrote.", examples=[{"handle": "message-2"}])
    text: MessageText = Field(
        description="The whole new text, plain, at most 4,096 characters.", examples=["See you at eight, not seven."]
    )
    was: ReadFirst = ""

    @model_validator(mode="before")
    @classmethod
    def _where_it_stands(cls, given: Any) -> Any:
        return fill_in_chat(given)


class DeleteArgs(OfAccount):
    """The owner's own messages, deleted for everybody; `was` is read from Telegram before it is shown."""

    model_config = ConfigDict(json_schema_extra=_says_its_chat)

    to: ItsChat
    message_ids: tuple[MessageId, ...] = Field(
        min_length=1,
        max_length=100,
        description="Messages that the owner wrote, all of one chat.",
        examples=[[{"handle": "message-2"}]],
    )
    was: ReadFirst = ""

    @model_validator(mode="before")
    @classmethod
    def _where_they_stand(cls, given: Any) -> Any:
        return fill_in_chat(given)
