"""Diagnoses a series of measurements: its current value, its usual value, and when it began to differ.

It only compares numbers with their own past and with a limit, so the same points always give the same reading.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any, cast

from butler.contract.signals import Bounds

NOW, FEWEST = 3, 8
"""The latest points that make up the current value; the fewest points that show what is usual."""
NOISE, SHARE = 4.0, 0.3
"""How far from the usual value counts as unusual: multiples of the spread, and a share of the usual value."""
SPREAD = 1.4826
"""The factor from a median absolute deviation to a standard deviation."""

Point = tuple[datetime, float]


@dataclass(frozen=True, slots=True)
class Reading:
    """The state of a series at its end."""

    now: float
    usual: float | None = None
    """The median of its earlier half; None if there are too few points, or it was bad all along."""
    since: datetime | None = None
    """When it began to be unusual; None if it is not."""
    all_along: bool = False
    """Whether it was unusual from the first point on, and perhaps before."""
    is_bad: bool = False
    """Whether it is beyond its limit."""

    @property
    def is_unusual(self) -> bool:
        """Return whether there is anything to report besides the value."""
        return self.is_bad or self.since is not None


def points_of(series: Any) -> list[Point]:
    """Return the valid points of a tool's series in order: those with a finite number and a time with its offset."""
    given = cast("dict[str, Any]", series).get("points") if isinstance(series, dict) else None
    each = cast("list[Any]", given) if isinstance(given, list) else []
    return sorted(point for one in each if (point := _point(one)) is not None)


def _point(one: Any) -> Point | None:
    try:
        at, value = datetime.fromisoformat(str(one[0])), float(one[1])
    except (IndexError, KeyError, TypeError, ValueError):
        return None
    return (at, value) if math.isfinite(value) and at.tzinfo is not None else None


def read(points: Sequence[Point], bounds: Bounds) -> Reading | None:
    """Return the reading of these points; None if there are none."""
    if not points:
        return None
    values = [value for _, value in points]
    now = median(values[-NOW:]) if len(values) >= FEWEST else values[-1]
    is_bad = _is_beyond(now, bounds)
    if len(values) < FEWEST:
        return Reading(now, is_bad=is_bad)
    earlier = values[: len(values) // 2]
    usual = median(earlier)
    if _is_change(now, usual, earlier, bounds):
        line = usual + (now - usual) / 2
        return Reading(now, usual, _begin(points, line, rises=now > usual), is_bad=is_bad)
    if is_bad and bounds.limit is not None:
        since = _begin(points, bounds.limit, rises=not bounds.falls)
        all_along = since <= points[1][0]
        return Reading(now, None if all_along else usual, since, all_along, is_bad=True)
    return Reading(now, usual)


def _is_beyond(value: float, bounds: Bounds) -> bool:
    if bounds.limit is None:
        return False
    return value <= bounds.limit if bounds.falls else value >= bounds.limit


def _is_change(now: float, usual: float, earlier: Sequence[float], bounds: Bounds) -> bool:
    spread = SPREAD * median(abs(value - usual) for value in earlier)
    margin = max(NOISE * spread, SHARE * abs(usual), bounds.floor)
    change = now - usual
    if bounds.either:
        return abs(change) > margin
    return (-change if bounds.falls else change) > margin


def _begin(points: Sequence[Point], line: float, *, rises: bool) -> datetime:
    """Return when the last unbroken run of points beyond `line` began; a single point in between does not break it."""
    begin, missed = points[-1][0], 0
    for at, value in reversed(points):
        if (value >= line) if rises else (value <= line):
            begin, missed = at, 0
        elif missed:
            break
        else:
            missed = 1
    return begin
