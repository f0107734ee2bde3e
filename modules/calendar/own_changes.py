"""Records Butler's own changes through this account, so that they are told apart from others'.

Only the newest are remembered, in memory; a forgotten change counts as somebody else's.
"""

from modules.calendar.records import Event

MOST = 1_000
_GONE = ""


class OwnChanges:
    """The newest changes: event id to etag."""

    def __init__(self) -> None:
        self._etags: dict[str, str] = {}

    def written(self, event_id: str, etag: str) -> None:
        """Record the state of an event that was created or changed."""
        self._etags.pop(event_id, None)
        self._etags[event_id] = etag
        if len(self._etags) > MOST:
            del self._etags[next(iter(self._etags))]

    def deleted(self, event_id: str) -> None:
        """Record that an event was deleted."""
        self.written(event_id, _GONE)

    def has(self, event: Event) -> bool:
        """Return whether an event is as Butler left it; every event of a series that Butler wrote counts as that."""
        if event.gone:
            return self._etags.get(event.id) == _GONE or self._etags.get(event.series) == _GONE
        return self._etags.get(event.id) == event.etag or bool(self._etags.get(event.series))
