"""What a chart shows: lines over time. How it is drawn is in `drawing.py`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

Point = tuple[datetime, float | None]
"""An aware time, and the value then; None is a gap."""


@dataclass(frozen=True, slots=True)
class Line:
    """One series, its points in the order of time."""

    name: str
    points: Sequence[Point]

    @property
    def values(self) -> list[float]:
        """What was measured, without the gaps."""
        return [value for _, value in self.points if value is not None]


@dataclass(frozen=True, slots=True)
class Chart:
    """Lines over a span of time; without a span it is as long as they are."""

    title: str
    lines: Sequence[Line]
    unit: str = ""
    """As `units.scale_of` takes it: bytes, bytes/s, ratio, percent, seconds, or any other."""
    zone: ZoneInfo = field(default_factory=lambda: ZoneInfo("UTC"))
    """The person's, for the times below."""
    since: datetime | None = None
    before: datetime | None = None
    high: float | None = None
    """From where on a value is unusual; drawn where the lines come near it."""


def lines_of(series: Sequence[Mapping[str, Any]]) -> list[Line]:
    """Lines of series as the adapters give them: `{"name": ..., "points": [["2026-11-28T14:05:00Z", 0.93], ...]}`."""
    return [Line(str(one["name"]), [(_time(at), value) for at, value in one["points"]]) for one in series]


def _time(text: str) -> datetime:
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
