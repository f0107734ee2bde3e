"""The mirror: Butler's copy of the chats and messages in the owner's accounts, kept apart from the inbox.

The inbox holds what is said to the butler. The mirror never does: it holds what others wrote to the owner and what the
owner wrote to others. So it is data for its readers, and no part of it is a request.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Protocol

from pydantic import AwareDatetime, Field
from pydantic.json_schema import SkipJsonSchema

from butler.contract.records import ClosedRecord


class ChatKind(StrEnum):
    """What a conversation is."""

    PERSON = "person"
    BOT = "bot"
    GROUP = "group"
    CHANNEL = "channel"
    SELF = "self"
    """The owner's notes to themselves."""
    THREAD = "thread"
    """A thread of mails."""


class SeenChat(ClosedRecord):
    """A conversation of one account. `chat` is its address, such as `telegram:-100123` or `gmail:18c0...`."""

    channel: str
    account: str
    chat: str
    title: str = ""
    """The title that others chose: data, never a reason to trust."""
    kind: ChatKind = ChatKind.PERSON
    muted: bool = False
    """Whether the chat is kept without being news."""
    unread: int = 0
    read_order: int = 0
    """The order of the last message that the owner has read."""
    last_order: int = 0
    """The order of the newest stored message."""
    cursor: str = ""
    """The source's position in this chat, in its own form."""


class SeenFile(ClosedRecord):
    """A file of a message. `sha256` names its blob once it is fetched; the name is data."""

    name: str = ""
    media_type: str = "application/octet-stream"
    size: int = 0
    kind: str = "file"
    """`photo`, `voice`, `video`, `sticker`, `file`."""
    sha256: str = ""


class SeenPerson(ClosedRecord):
    """A person other than the sender whom a message names, as in a mail's To and Cc."""

    address: str
    name: str = ""


class SeenMessage(ClosedRecord):
    """One message of one chat of one account. Its key is (channel, account, chat, ref)."""

    channel: str
    account: str
    chat: str
    ref: str
    """The provider's id of the message within the chat."""
    order: int
    """A number that rises within a chat: a message id, or a mail's time of arrival in milliseconds."""
    at: AwareDatetime
    sender: str = ""
    """`telegram:<id>` or `mail:<address>`."""
    sender_name: str = ""
    outgoing: bool = False
    """Whether the owner sent it."""
    unread: bool = False
    subject: str = ""
    text: str = ""
    reply_to: str = ""
    topic: str = ""
    album: str = ""
    forwarded_from: str = ""
    message_id: str = ""
    """A mail's Message-ID."""
    labels: tuple[str, ...] = ()
    size: int = 0
    files: tuple[SeenFile, ...] = ()
    others: tuple[SeenPerson, ...] = ()
    edited_at: AwareDatetime | None = None
    problems: tuple[str, ...] = ()
    """The parts that could not be read."""
    key: SkipJsonSchema[str] = Field(default="", exclude=True)
    """The key by which tools take it, if that is not its `ref`; published when it comes in, and not stored."""
    raw: bytes | None = Field(default=None, exclude=True, repr=False)
    """The whole mail, if it is kept."""


class Removal(ClosedRecord):
    """A message that was deleted.

    If the provider does not say from which chat, `chat` is empty: then it means every chat of the account whose address
    does not begin with `apart_from`.
    """

    ref: str
    chat: str = ""
    apart_from: str = ""


@dataclass(frozen=True, slots=True)
class MirrorUpdate:
    """The changes of one account stored in one transaction. Replaces known messages, so a repeat changes nothing."""

    channel: str
    account: str
    chats: Sequence[SeenChat] = ()
    messages: Sequence[SeenMessage] = ()
    removed: Sequence[Removal] = ()


@dataclass(frozen=True, slots=True)
class SeenQuery:
    """A search; the newest first unless `after_order` is given, which reads a chat onwards."""

    channel: str
    account: str = ""
    """The account; empty for every account."""
    chat: str = ""
    """The chat; empty for every chat that is not muted."""
    words: str = ""
    """Words that must all occur in text, subject or sender's name, ignoring case."""
    since: datetime | None = None
    after_order: int | None = None
    before_order: int | None = None
    incoming: bool = False
    """Whether to find only what others wrote."""
    unread: bool = False
    muted: bool = False
    """Whether to include muted chats."""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class SenderCount:
    """The number of known messages from one address."""

    address: str
    """The address with its kind, such as `mail:news@shop.example`."""
    count: int
    unread: int
    newest: SeenMessage


@dataclass(frozen=True, slots=True)
class Ranking:
    """The senders with the most messages, in order. `known` and `since` describe all messages that were counted."""

    senders: Sequence[SenderCount]
    known: int
    since: datetime | None


class Mirror(Protocol):
    """The rows of the mirror."""

    async def keep(self, batch: MirrorUpdate, *, cursor: tuple[str, str] | None = None) -> int:
        """Store a batch, and a cursor's new value with it, in one transaction; return the number of new messages.

        A removed message keeps its row, marked, and is no longer found.
        """
        ...

    async def chats(self, channel: str, account: str = "") -> Sequence[SeenChat]:
        """Return every chat, the one with the newest message first."""
        ...

    async def chat(self, channel: str, account: str, chat: str) -> SeenChat | None: ...

    async def messages(self, query: SeenQuery) -> Sequence[SeenMessage]: ...

    async def count(self, query: SeenQuery) -> int:
        """Return the number of matching messages, regardless of the query's limit."""
        ...

    async def senders(self, channel: str, account: str, refs: Sequence[str]) -> Sequence[tuple[str, int]]:
        """Count these messages by sender address, leaving out unknown ones."""
        ...

    async def ranking(self, channel: str, account: str, label: str, most: int) -> Ranking:
        """Rank the senders of others' known messages with a label; return at most `most` senders."""
        ...

    async def raw(self, channel: str, account: str, chat: str, ref: str) -> bytes | None:
        """Return the whole mail, if it was kept."""
        ...

    async def forget(self, channel: str, account: str, chat: str) -> int:
        """Delete a chat and all its messages; return their number."""
        ...

    async def prune(self, channel: str, account: str, before: datetime) -> int:
        """Delete older messages, and the chats left empty; return the number of messages."""
        ...
