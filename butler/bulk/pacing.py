"""How fast a run goes, by what this process has seen of it; and how often it is told."""

from collections import deque
from datetime import datetime, timedelta

from butler.bulk.progress_message import Pace

TOLD_EVERY = timedelta(seconds=3)
SEEN_FOR = timedelta(minutes=2)


class Pacer:
    """Remembers a little of each run; a restart only begins to count anew."""

    def __init__(self) -> None:
        self._told: dict[str, datetime] = {}
        self._seen: dict[str, deque[tuple[datetime, int]]] = {}

    def is_due(self, run_id: str, now: datetime) -> bool:
        """Whether it is time to tell how far it is."""
        told = self._told.get(run_id)
        if told is not None and timedelta() <= now - told < TOLD_EVERY:
            return False
        self._told[run_id] = now
        return True

    def pace(self, run_id: str, over: int, total: int, now: datetime) -> Pace | None:
        """The pace, once two looks are far enough apart to tell."""
        seen = self._seen.setdefault(run_id, deque())
        if seen and now < seen[-1][0]:
            # The clock was set back: what was seen before tells nothing.
            seen.clear()
        seen.append((now, over))
        while now - seen[0][0] > SEEN_FOR:
            seen.popleft()
        (began, before), elapsed = seen[0], now - seen[0][0]
        del began
        if elapsed < TOLD_EVERY or over <= before:
            return None
        each = elapsed / (over - before)
        return Pace(round(timedelta(minutes=1) / each), each * (total - over))

    def forget(self, run_id: str) -> None:
        """It stands still, or has ended."""
        self._told.pop(run_id, None)
        self._seen.pop(run_id, None)
