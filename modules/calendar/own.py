"""What was changed through this account by Butler itself, so that a look at what has changed can say so.

It is remembered while the process lives, and only the newest: what is forgotten counts as somebody else's.
"""

from modules.calendar.records import Event

MOST = 1_000
_GONE = ""


class OwnChanges:
    """The newest changes, by the event's id: its etag after it."""

    def __init__(self) -> None:
        self._etags: dict[str, str] = {}

    def written(self, event_id: str, etag: str) -> None:
        """An event was made or changed, and is in this state now."""
        self._etags.pop(event_id, None)
        self._etags[event_id] = etag
        if len(self._etags) > MOST:
            del self._etags[next(iter(self._etags))]

    def deleted(self, event_id: str) -> None:
        """An event was deleted."""
        self.written(event_id, _GONE)

    def has(self, event: Event) -> bool:
        """Whether an event is as Butler left it. Of a series that it made, each one is."""
        if event.gone:
            return self._etags.get(event.id) == _GONE or self._etags.get(event.series) == _GONE
        return self._etags.get(event.id) == event.etag or bool(self._etags.get(event.series))
