"""The numbered events of a message box, which clients catch up on: https://core.telegram.org/api/updates.

`pts` counts the events; a client that knows an older `pts` asks for the difference. What is older than the log
reaches back (its horizon) has to be read from the history instead.
"""

import enum
from dataclasses import dataclass
from datetime import datetime

FIRST_PTS = 1


class EventKind(enum.Enum):
    """What an event changed in a message box."""

    NEW = "new"
    EDITED = "edited"
    DELETED = "deleted"
    READ = "read by the owner"


@dataclass(frozen=True, slots=True)
class Event:
    """One step of a box, `pts` being the count with it. A read event names the newest message read."""

    kind: EventKind
    peer_id: int
    message_id: int
    pts: int


class EventLog:
    """The events of one box, oldest first. `horizon` is how many of the newest can still be asked for."""

    def __init__(self) -> None:
        self.horizon: int | None = None
        self.changed_at: datetime | None = None
        self._events: list[Event] = []
        self._pts_before = FIRST_PTS

    @property
    def pts(self) -> int:
        """The number of the last event."""
        return self._pts_before + len(self._events)

    def append(self, kind: EventKind, peer_id: int, message_id: int, at: datetime) -> Event:
        """Count one more event."""
        event = Event(kind, peer_id, message_id, self.pts + 1)
        self._events.append(event)
        self.changed_at = at
        return event

    def last(self, count: int) -> list[Event]:
        """The newest events, oldest first."""
        return self._events[len(self._events) - count :]

    def since(self, pts: int) -> list[Event] | None:
        """The events after `pts`, oldest first; None when the log does not reach back so far."""
        oldest = self._pts_before
        if self.horizon is not None:
            oldest = max(oldest, self.pts - self.horizon)
        if pts < oldest:
            return None
        return self._events[pts - self._pts_before :]
