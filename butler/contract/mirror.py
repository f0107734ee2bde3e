"""The mirror: what the owner's accounts hold, as Butler has seen it: chats and messages, kept apart from the inbox.

The inbox holds what is said to the butler. The mirror never does: it holds what others wrote to the owner and what the
owner wrote to others, so it is data for its readers, and no part of it is a request.
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
    """The person's notes to themselves."""
    THREAD = "thread"
    """Of mails."""


class SeenChat(ClosedRecord):
    """A conversation of one account. `chat` is its address, such as `telegram:-100123` or `gmail:18c0...`."""

    channel: str
    account: str
    chat: str
    title: str = ""
    """As others called it: data, never a reason to trust."""
    kind: ChatKind = ChatKind.PERSON
    muted: bool = False
    """Kept, and no news."""
    unread: int = 0
    read_order: int = 0
    """The person has read up to here."""
    last_order: int = 0
    """The newest message that is kept."""
    cursor: str = ""
    """Where the source stands in this chat, in its own words."""


class SeenFile(ClosedRecord):
    """A file of a message. `sha256` names its blob once it was fetched; the name is data."""

    name: str = ""
    media_type: str = "application/octet-stream"
    size: int = 0
    kind: str = "file"
    """`photo`, `voice`, `video`, `sticker`, `file`."""
    sha256: str = ""


class SeenPerson(ClosedRecord):
    """Somebody besides the sender whom a message names, such as a mail's To and Cc."""

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
    """Rises within a chat: a message id, or a mail's time of arrival in milliseconds."""
    at: AwareDatetime
    sender: str = ""
    """`telegram:<id>` or `mail:<address>`."""
    sender_name: str = ""
    outgoing: bool = False
    """The person's own."""
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
    """What could not be read of it."""
    key: SkipJsonSchema[str] = Field(default="", exclude=True)
    """What tools take it by, where that is not its `ref`; told of as it comes in, and not kept."""
    raw: bytes | None = Field(default=None, exclude=True, repr=False)
    """The whole mail, where it is kept."""


class Removal(ClosedRecord):
    """A message that is gone.

    Where the provider does not say from which chat, `chat` is empty: then every chat of the account is meant whose
    address does not begin with `apart_from`.
    """

    ref: str
    chat: str = ""
    apart_from: str = ""


@dataclass(frozen=True, slots=True)
class MirrorUpdate:
    """What is kept in one transaction, of one account. A known message is replaced, so a repeat changes nothing."""

    channel: str
    account: str
    chats: Sequence[SeenChat] = ()
    messages: Sequence[SeenMessage] = ()
    removed: Sequence[Removal] = ()


@dataclass(frozen=True, slots=True)
class SeenQuery:
    """What is looked for; the newest first unless `after_order` is given, which reads a chat onwards."""

    channel: str
    account: str = ""
    """Empty: every account."""
    chat: str = ""
    """Empty: every chat but the muted."""
    words: str = ""
    """Each somewhere in text, subject or sender's name, without regard to case."""
    since: datetime | None = None
    after_order: int | None = None
    before_order: int | None = None
    incoming: bool = False
    """Only what others wrote."""
    unread: bool = False
    muted: bool = False
    """Muted chats, too."""
    limit: int = 50


@dataclass(frozen=True, slots=True)
class SenderCount:
    """How many of the messages that are known one address sent."""

    address: str
    """With its kind, such as `mail:news@shop.example`."""
    count: int
    unread: int
    newest: SeenMessage


@dataclass(frozen=True, slots=True)
class Ranking:
    """Whose messages there are, those of most first. `known` and `since` are of all that was counted."""

    senders: Sequence[SenderCount]
    known: int
    since: datetime | None


class Mirror(Protocol):
    """The rows of what the owner's accounts hold."""

    async def keep(self, batch: MirrorUpdate, *, cursor: tuple[str, str] | None = None) -> int:
        """Store a batch, and with it a cursor's new value, in one transaction; return how many messages were new.

        A removed message keeps its row, marked, and is not found any more.
        """
        ...

    async def chats(self, channel: str, account: str = "") -> Sequence[SeenChat]:
        """Return every chat, the one with the newest message first."""
        ...

    async def chat(self, channel: str, account: str, chat: str) -> SeenChat | None: ...

    async def messages(self, query: SeenQuery) -> Sequence[SeenMessage]: ...

    async def count(self, query: SeenQuery) -> int:
        """Return how many there are, whatever the query's limit."""
        ...

    async def senders(self, channel: str, account: str, refs: Sequence[str]) -> Sequence[tuple[str, int]]:
        """Count these messages by the sender's address, as far as they were seen."""
        ...

    async def ranking(self, channel: str, account: str, label: str, most: int) -> Ranking:
        """Rank the senders of others' messages that bear a label, as far as they were seen; at most `most` senders."""
        ...

    async def raw(self, channel: str, account: str, chat: str, ref: str) -> bytes | None:
        """Return the whole mail, where it was kept."""
        ...

    async def forget(self, channel: str, account: str, chat: str) -> int:
        """Delete a chat and all its messages; return how many there were."""
        ...

    async def prune(self, channel: str, account: str, before: datetime) -> int:
        """Delete what is older, and the chats that are empty then; return how many messages there were."""
        ...
