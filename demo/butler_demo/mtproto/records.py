"""What the data centre tells its caller: frozen records of messages, changes and calls.

A peer is written as one number (see `ids`). In private chats and basic groups every account has its own copy of
a message under its own id; `origin` is the number that all copies of one message share. A channel's message
exists once, for all.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from butler_demo.mtproto.event_log import EventKind


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
    """Who wrote a forwarded message (an account, or a channel and the `post` there), and when."""

    from_id: int
    date: datetime
    post: int | None = None


@dataclass(frozen=True, slots=True)
class Message:
    """One account's copy of a message, or (`owner_id` is a channel's peer) a channel's message.

    `date` and `edited_at` are aware; `entities` and `service` (what a service message tells) are TL objects.
    `outgoing` tells whether it is the owner's own; a channel is nobody, so there it is always false. `album` is
    what the files sent together share, `topic` the forum topic that it stands in.
    """

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
    album: int | None = None
    topic: int | None = None
    service: Any | None = None


@dataclass(frozen=True, slots=True)
class Change:
    """One change to one account's copy or to a channel's message, as the subscribers hear of it."""

    kind: EventKind
    message: Message


@dataclass(frozen=True, slots=True)
class Call:
    """One RPC call as the data centre saw it.

    `method` is the TL name (`messages.sendMessage`), `user_id` the account that was signed in, `error` the
    code and message that were answered, `answered` is false when the answer was withheld by order, `peer_id`
    is the conversation that the request names, if it names one.
    """

    method: str
    user_id: int | None
    at: datetime
    error: str | None = None
    answered: bool = True
    peer_id: int | None = None
