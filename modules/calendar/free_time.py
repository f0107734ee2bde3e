"""Finds free time between a calendar's events, by day."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

FROM, TO = time(8), time(20)
"""The default hours of a meeting."""


@dataclass(frozen=True, slots=True)
class Free:
    """A free period."""

    start: datetime
    end: datetime

    @property
    def minutes(self) -> int:
        return int((self.end.timestamp() - self.start.timestamp()) // 60)


def free_times(
    since: datetime, before: datetime, busy: Iterable[tuple[datetime, datetime]], minutes: int, zone: ZoneInfo
) -> list[Free]:
    """Return the free periods of at least `minutes`. By day only, unless the whole range lies outside these hours."""
    windows = list(_days(since, before, zone)) or [Free(since, before)]
    taken = sorted(busy)
    found = [gap for window in windows for gap in _gaps(window, taken)]
    return [gap for gap in found if gap.minutes >= minutes]


def _days(since: datetime, before: datetime, zone: ZoneInfo) -> Iterator[Free]:
    day: date = since.astimezone(zone).date()
    while day <= before.astimezone(zone).date():
        start = max(since, datetime.combine(day, FROM, zone))
        end = min(before, datetime.combine(day, TO, zone))
        if start < end:
            yield Free(start.astimezone(zone), end.astimezone(zone))
        day += timedelta(days=1)


def _gaps(window: Free, taken: list[tuple[datetime, datetime]]) -> Iterator[Free]:
    reached = window.start
    for begins, ends in taken:
        if ends <= reached:
            continue
        if begins >= window.end:
            break
        if begins > reached:
            yield Free(reached, begins.astimezone(window.start.tzinfo))
        reached = max(reached, ends.astimezone(window.start.tzinfo))
    if reached < window.end:
        yield Free(reached, window.end)
