"""One account's message box: its copies of messages and the numbered events that clients catch up on.

`pts` counts the events; a client that knows an older `pts` asks for the difference.
https://core.telegram.org/api/updates describes the sequence.
"""

import enum
from dataclasses import dataclass

from butler.demo.mtproto.records import Message

FIRST_PTS = 1


class EventKind(enum.Enum):
    """What an event changed in a message box."""

    NEW = "new"
    EDITED = "edited"
    DELETED = "deleted"
    READ_BY_OWNER = "read by the owner"
    READ_BY_PEER = "read by the peer"


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a box, `pts` being the count with it. A read event names the newest message read."""

    kind: EventKind
    peer_id: int
    message_id: int
    pts: int


class MessageBox:
    """Messages by id, ascending, and what happened to them. Deleted ones stay, marked as deleted."""

    def __init__(self, owner_id: int) -> None:
        self.owner_id = owner_id
        self.messages: dict[int, Message] = {}
        self.events: list[Event] = []
        self.id_by_origin: dict[int, int] = {}
        self.id_by_random_id: dict[int, int] = {}
        self.read_by_owner: dict[int, int] = {}
        self.read_by_peer: dict[int, int] = {}

    @property
    def pts(self) -> int:
        """The number of the last event."""
        return FIRST_PTS + len(self.events)

    @property
    def next_id(self) -> int:
        """The id of the next message."""
        return len(self.messages) + 1

    def put(self, message: Message) -> None:
        """Store a new copy, or replace the one with the same id."""
        self.messages[message.id] = message
        self.id_by_origin[message.origin] = message.id
        if message.random_id is not None:
            self.id_by_random_id[message.random_id] = message.id

    def record(self, kind: EventKind, message: Message) -> Event:
        """Append an event; each counts one."""
        event = Event(kind, message.peer_id, message.id, self.pts + 1)
        self.events.append(event)
        return event

    def visible(self, peer_id: int | None = None) -> list[Message]:
        """The messages that are not deleted, oldest first, of one peer or of all."""
        return [
            message for message in self.messages.values() if not message.deleted and peer_id in {None, message.peer_id}
        ]

    def find(self, message_id: int) -> Message | None:
        """The message with this id, unless it is deleted or never was."""
        message = self.messages.get(message_id)
        return None if message is None or message.deleted else message

    def unread(self, peer_id: int) -> int:
        """How many incoming messages of a peer the owner has not read."""
        read = self.read_by_owner.get(peer_id, 0)
        return sum(not message.outgoing and message.id > read for message in self.visible(peer_id))

    def since(self, pts: int) -> list[Event]:
        """The events after `pts`, oldest first."""
        return self.events[max(pts - FIRST_PTS, 0) :]
