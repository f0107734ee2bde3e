"""What the data centre tells its caller: frozen records of messages, changes and calls.

A peer is written as one number, as Telethon and the Bot API do: a user's id as it is, a basic group's id
negated. Every account has its own copy of a message under its own id; `origin` is the number that all copies
of one message share.
"""

import enum
from dataclasses import dataclass
from datetime import datetime
from typing import Any


@dataclass(frozen=True, slots=True)
class Media:
    """A file that a message carries; its bytes are in the file store under `file_id`."""

    file_id: int
    is_photo: bool
    mime_type: str
    size: int
    attributes: tuple[Any, ...] = ()
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Forward:
    """Who wrote a forwarded message, and when."""

    from_id: int
    date: datetime


@dataclass(frozen=True, slots=True)
class Message:
    """One account's copy of a message. `date` and `edited_at` are aware; `entities` are TL objects."""

    owner_id: int
    id: int
    peer_id: int
    from_id: int
    text: str
    date: datetime
    outgoing: bool
    origin: int
    random_id: int | None = None
    reply_to: int | None = None
    media: Media | None = None
    forward: Forward | None = None
    entities: tuple[Any, ...] = ()
    edited_at: datetime | None = None
    deleted: bool = False


class ChangeKind(enum.Enum):
    """What happened to a message."""

    NEW = "new"
    EDITED = "edited"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class Change:
    """One change to one account's copy, as the subscribers hear of it."""

    kind: ChangeKind
    message: Message


@dataclass(frozen=True, slots=True)
class Call:
    """One RPC call as the data centre saw it.

    `method` is the TL name (`messages.sendMessage`), `user_id` the account that was signed in, `error` the
    code and message that were answered, `answered` is false when the answer was withheld by order.
    """

    method: str
    user_id: int | None
    at: datetime
    error: str | None = None
    answered: bool = True
