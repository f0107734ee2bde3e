"""The arguments of the owner's account tools."""

from typing import Annotated, Any, Self

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, Field, model_validator

from butler.contract.mirror import ChatKind
from butler.contract.records import ClosedRecord
from butler.contract.speech import say
from butler.contract.tools import Attachment
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


class OfAccount(Args):
    """What acts through one of the person's accounts; empty means the first one."""

    account: Annotated[str, Field(max_length=30)] = ""


class ListDialogsArgs(OfAccount):
    """How many of the newest conversations; only those with something unread, and muted ones only if asked for."""

    limit: int = Field(default=20, ge=1, le=1000)
    unread: bool = False
    muted: bool = False


class GetUpdatesArgs(OfAccount):
    """What others wrote lately, in all conversations; those of muted ones only if asked for.

    Only what the owner has not read (`unread`), or since a time.
    """

    limit: int = Field(default=50, ge=1, le=200)
    unread: bool = False
    since: AwareDatetime | None = None
    muted: bool = False


class HistoryArgs(OfAccount):
    """The newest messages of one conversation.

    It is given by its address in `chat`, or in `called` by the words with which the owner calls it, and others of the
    same meaning. Of its messages only those that the owner has not read (`unread`), that hold words, or that were
    written since a time.
    """

    chat: MaybeAddress = ""
    called: Called = ()
    limit: int = Field(default=50, ge=1, le=200)
    unread: bool = False
    words: Words = ""
    since: AwareDatetime | None = None

    @model_validator(mode="after")
    def _one_conversation(self) -> Self:
        _named_once(self.chat, self.called)
        return self


class FindGroupArgs(OfAccount):
    """A group or a channel in which the owner may write: by what the owner calls it, or by its address."""

    called: Called = ()
    chat: MaybeAddress = ""

    @model_validator(mode="after")
    def _one_group(self) -> Self:
        _named_once(self.chat, self.called)
        return self


def _named_once(chat: str, called: tuple[str, ...]) -> None:
    if bool(chat) == bool(called):
        raise ValueError("name one conversation: its address in chat, or what it is called in called")


class ReadMessageArgs(OfAccount):
    """One message of a conversation; of an album, all of it. Where it stands, its id says, or else `chat`."""

    chat: MaybeAddress = ""
    message_id: MessageId

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

    to: TelegramRecipient
    text: str = ""
    attachments: Annotated[tuple[Attachment, ...], Field(max_length=MOST_IN_ALBUM)] = ()

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

    group: GroupFound | None = None


class ReplyArgs(MessageArgs):
    """The message of that chat which is answered.

    `answers` (what it says) and `topic` (where it stands, in a chat with topics) are read from Telegram before the
    answer is shown.
    """

    message_id: MessageId
    answers: str = ""
    topic: int = Field(default=0, ge=0)

    @model_validator(mode="before")
    @classmethod
    def _where_it_stands(cls, given: Any) -> Any:
        return fill_in_chat(given)


class EditArgs(OfAccount):
    """The new text of one of the owner's own messages; `was` is read from Telegram before it is shown."""

    to: TelegramRecipient
    message_id: MessageId
    text: MessageText
    was: str = ""

    @model_validator(mode="before")
    @classmethod
    def _where_it_stands(cls, given: Any) -> Any:
        return fill_in_chat(given)


class DeleteArgs(OfAccount):
    """The owner's own messages, deleted for everybody; `was` is read from Telegram before it is shown."""

    to: TelegramRecipient
    message_ids: Annotated[tuple[MessageId, ...], Field(min_length=1, max_length=100)]
    was: str = ""

    @model_validator(mode="before")
    @classmethod
    def _where_they_stand(cls, given: Any) -> Any:
        return fill_in_chat(given)
