"""What was done through this account by Butler itself, so that a look at what was done can say so.

Trello's log names the member only, whatever they did it with. What Butler did is known by the times and ids that
Trello answered with; it is remembered while the process lives, and only the newest.
"""

from collections import deque
from datetime import datetime, timedelta

from modules.trello.records import Deed

_MOST = 1_000
_ABOUT = timedelta(seconds=1)
_DELETED = "deleteCard"


class OwnDeeds:
    """The newest deeds."""

    def __init__(self) -> None:
        self._ids: deque[str] = deque(maxlen=_MOST)
        self._written: deque[tuple[str, datetime]] = deque(maxlen=_MOST)

    def written(self, card_id: str, activity: str) -> None:
        """A card was made or changed, and was last touched then, as Trello writes it."""
        if activity:
            self._written.append((card_id, datetime.fromisoformat(activity)))

    def deleted(self, card_id: str) -> None:
        """A card was deleted."""
        self._ids.append(card_id)

    def deed(self, deed_id: str) -> None:
        """A line of the log."""
        self._ids.append(deed_id)

    def has(self, deed: Deed) -> bool:
        """Whether Butler did it."""
        if deed.id in self._ids or (deed.kind == _DELETED and deed.card_id in self._ids):
            return True
        return any(card == deed.card_id and abs(at - deed.at) <= _ABOUT for card, at in self._written)
