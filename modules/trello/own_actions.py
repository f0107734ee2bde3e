"""Records Butler's own actions through this account, so that they are told apart from others'.

Trello's log names the member only, not the application. Butler's actions are recognised by the times and ids in
Trello's answers; only the newest are remembered, in memory.
"""

from collections import deque
from datetime import datetime, timedelta

from modules.trello.records import Deed

_MOST = 1_000
_ABOUT = timedelta(seconds=1)
_DELETED = "deleteCard"


class OwnActionLog:
    """The newest actions."""

    def __init__(self) -> None:
        self._ids: deque[str] = deque(maxlen=_MOST)
        self._written: deque[tuple[str, datetime]] = deque(maxlen=_MOST)

    def written(self, card_id: str, activity: str) -> None:
        """Record a card that was created or changed, with the time of its last activity as Trello writes it."""
        if activity:
            self._written.append((card_id, datetime.fromisoformat(activity)))

    def deleted(self, card_id: str) -> None:
        """Record that a card was deleted."""
        self._ids.append(card_id)

    def deed(self, deed_id: str) -> None:
        """Record an entry of the log."""
        self._ids.append(deed_id)

    def has(self, deed: Deed) -> bool:
        """Return whether Butler did it."""
        if deed.id in self._ids or (deed.kind == _DELETED and deed.card_id in self._ids):
            return True
        return any(card == deed.card_id and abs(at - deed.at) <= _ABOUT for card, at in self._written)
