"""Measures how fast a run goes, in this process, and limits how often its progress is reported."""

from collections import deque
from datetime import datetime, timedelta

from butler.bulk.progress_message import RunSpeed

TOLD_EVERY = timedelta(seconds=3)
SEEN_FOR = timedelta(minutes=2)


class Pacer:
    """Holds a few measurements of each run in memory; a restart begins anew."""

    def __init__(self) -> None:
        self._told: dict[str, datetime] = {}
        self._seen: dict[str, deque[tuple[datetime, int]]] = {}

    def is_due(self, run_id: str, now: datetime) -> bool:
        """Return whether it is time to report progress."""
        told = self._told.get(run_id)
        if told is not None and timedelta() <= now - told < TOLD_EVERY:
            return False
        self._told[run_id] = now
        return True

    def pace(self, run_id: str, over: int, total: int, now: datetime) -> RunSpeed | None:
        """Return the pace, once two measurements are far enough apart."""
        seen = self._seen.setdefault(run_id, deque())
        if seen and now < seen[-1][0]:
            # The clock was set back: earlier measurements are useless.
            seen.clear()
        seen.append((now, over))
        while now - seen[0][0] > SEEN_FOR:
            seen.popleft()
        (began, before), elapsed = seen[0], now - seen[0][0]
        del began
        if elapsed < TOLD_EVERY or over <= before:
            return None
        each = elapsed / (over - before)
        return RunSpeed(round(timedelta(minutes=1) / each), each * (total - over))

    def forget(self, run_id: str) -> None:
        """Forget a run that is paused or has ended."""
        self._told.pop(run_id, None)
        self._seen.pop(run_id, None)
