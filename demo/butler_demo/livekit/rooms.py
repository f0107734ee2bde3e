"""The rooms that a server holds: opened by a call or by whoever comes first, closed when nobody is there for long."""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from livekit.protocol.models import Room
from livekit.protocol.room import CreateRoomRequest

from butler_demo.livekit.errors import TwirpError

EMPTY_TIMEOUT_S = 300
DEPARTURE_TIMEOUT_S = 20


@dataclass(slots=True)
class OpenRoom:
    """A room, and who has come: names by identity."""

    room: Room
    opened_at: datetime
    people: dict[str, str] = field(default_factory=dict[str, str])

    def view(self) -> Room:
        """The room as the API shows it."""
        seen = Room()
        seen.CopyFrom(self.room)
        seen.num_participants = len(self.people)
        return seen


class Rooms:
    """All rooms of a server, by name."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._rooms: dict[str, OpenRoom] = {}

    def create(self, request: CreateRoomRequest) -> Room:
        """Open a room; one of this name that is open stays as it is. Raises `TwirpError`."""
        if not request.name:
            raise TwirpError("invalid_argument", "a room needs a name")
        self._close_empty()
        if request.name not in self._rooms:
            self._rooms[request.name] = self._opened(request)
        return self._rooms[request.name].view()

    def listed(self, names: Sequence[str]) -> list[Room]:
        """Those of these names that are open, or all, in the order in which they were opened."""
        self._close_empty()
        return [open_room.view() for name, open_room in self._rooms.items() if not names or name in names]

    def delete(self, name: str) -> None:
        """Close a room. Raises `TwirpError` where there is none."""
        if self._rooms.pop(name, None) is None:
            raise TwirpError("not_found", "the requested room does not exist")

    def join(self, name: str, identity: str, called: str) -> bool:
        """Let somebody in; True where an identity that was in already is taken over. Raises `TwirpError` if full."""
        self.create(CreateRoomRequest(name=name))
        open_room = self._rooms[name]
        known = identity in open_room.people
        most = open_room.room.max_participants
        if not known and most and len(open_room.people) >= most:
            raise TwirpError("permission_denied", "the room is full")
        open_room.people[identity] = called
        return known

    def people(self, name: str) -> dict[str, str]:
        """Who has come into a room: names by identity."""
        return dict(self._rooms[name].people) if name in self._rooms else {}

    def _opened(self, request: CreateRoomRequest) -> OpenRoom:
        now = self._now()
        room = Room(
            sid=f"RM_{secrets.token_urlsafe(9)}",
            name=request.name,
            empty_timeout=request.empty_timeout or EMPTY_TIMEOUT_S,
            departure_timeout=request.departure_timeout or DEPARTURE_TIMEOUT_S,
            max_participants=request.max_participants,
            creation_time=int(now.timestamp()),
            creation_time_ms=int(now.timestamp() * 1000),
            metadata=request.metadata,
        )
        return OpenRoom(room, now)

    def _close_empty(self) -> None:
        now = self._now()
        for name, one in list(self._rooms.items()):
            if not one.people and now >= one.opened_at + timedelta(seconds=one.room.empty_timeout):
                del self._rooms[name]
