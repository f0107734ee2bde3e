"""The content of a chart: lines over time. `drawing.py` draws it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

Point = tuple[datetime, float | None]
"""An aware time and the value at that time; None is a gap."""


@dataclass(frozen=True, slots=True)
class Line:
    """One series, its points in order of time."""

    name: str
    points: Sequence[Point]

    @property
    def values(self) -> list[float]:
        """Return the points without the gaps."""
        return [value for _, value in self.points if value is not None]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over a time span; by default, the span of the lines."""

    title: str
    lines: Sequence[Line]
    unit: str = ""
    """As `units.scale_of` takes it: bytes, bytes/s, ratio, percent, seconds, or any other."""
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    """The owner's zone, for the time axis."""
    since: datetime | None = None
    before: datetime | None = None
    high: float | None = None
    """The threshold above which a value is unusual; drawn if the lines come near it."""


def lines_of(series: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Parse the adapters' series: `{"name": ..., "points": [["2026-11-28T14:05:00Z", 0.93], ...]}`."""
    return [Line(str(one["name"]), [(_time(at), value) for at, value in one["points"]]) for one in series]


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
