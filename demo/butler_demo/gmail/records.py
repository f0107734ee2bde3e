"""What the stand-in keeps and shows: frozen records of mails, labels, aliases, sent mails and events."""

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from butler_demo.gmail.mime import MailContent


class EventKind(StrEnum):
    """What happened to a mail in a mailbox."""

    ADDED = "added"
    RELABELLED = "relabelled"
    DELETED = "deleted"


class MessageIdPolicy(StrEnum):
    """What sending does to the client's Message-ID; Gmail promises neither."""

    KEEP_PLAUSIBLE = "keep_plausible"
    ALWAYS_REWRITE = "always_rewrite"


@dataclass(frozen=True)
class Label:
    """A label of one mailbox; system labels have their name as id. A slash in a name nests it under another."""

    id: str
    name: str
    system: bool


@dataclass(frozen=True)
class Alias:
    """An address that the account may send as, once it is verified."""

    email: str
    name: str
    verified: bool


@dataclass(frozen=True)
class Watch:
    """What the account's changes are to be published to."""

    topic: str
    ends: datetime


@dataclass(frozen=True)
class Message:
    """One mail in one mailbox, as it stands after the history entry `history_id`."""

    id: str
    thread_id: str
    label_ids: tuple[str, ...]
    history_id: int
    received: datetime
    raw: bytes = field(repr=False)
    content: MailContent = field(repr=False, compare=False)

    @property
    def unread(self) -> bool:
        """Whether the mail has not been read."""
        return "UNREAD" in self.label_ids


@dataclass(frozen=True)
class Draft:
    """A draft and the message (labelled DRAFT) that it holds now."""

    id: str
    message_id: str


@dataclass(frozen=True)
class SentMail:
    """The provider's own record of one accepted mail; nothing done in a mailbox afterwards changes it."""

    sender: str
    recipients: tuple[str, ...]
    at: datetime
    message: Message


@dataclass(frozen=True)
class MailEvent:
    """A change in the mailbox `address`, for a page that shows it live."""

    kind: EventKind
    address: str
    message: Message
