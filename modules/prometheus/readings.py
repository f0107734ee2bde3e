"""Describes series: current and extreme values, and since when they are unusual."""

from collections.abc import Mapping, Sequence
from typing import Any

from modules._charts.units import humanised


def readings(series: Sequence[Mapping[str, Any]], unit: str, high: float | None) -> list[dict[str, Any]]:
    """Return one entry per series with values, those that are unusual now first.

    `{"name", "last", "last_text", "lowest_text", "highest_text", "highest_at", "unusual", "unusual_since"}`: `unusual`
    if the last value is at least `high`; since when without a break, as far as the answer goes back.
    """
    found = [reading for one in series if (reading := _reading(one, unit, high)) is not None]
    return sorted(found, key=lambda reading: (not reading["unusual"], -reading["last"] if reading["unusual"] else 0.0))


def _reading(series: Mapping[str, Any], unit: str, high: float | None) -> dict[str, Any] | None:
    points = [(at, value) for at, value in series["points"] if value is not None]
    if not points:
        return None
    last, lowest = points[-1][1], min(value for _, value in points)
    highest_at, highest = max(points, key=lambda point: point[1])
    since = None
    if high is not None:
        for at, value in reversed(points):
            if value < high:
                break
            since = at
    return {
        "name": series["name"],
        "last": last,
        "last_text": humanised(last, unit),
        "lowest_text": humanised(lowest, unit),
        "highest_text": humanised(highest, unit),
        "highest_at": highest_at,
        "unusual": since is not None,
        "unusual_since": since,
    }
