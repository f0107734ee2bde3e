"""Times, durations and numbers as they stand on the wire."""

import math
import re
from datetime import UTC, datetime
from decimal import Decimal

from butler_demo.prometheus.errors import bad_data

_DURATION = re.compile(r"(\d+y)?(\d+w)?(\d+d)?(\d+h)?(\d+m)?(\d+s)?(\d+ms)?")
_SECONDS = {"y": 31_536_000, "w": 604_800, "d": 86_400, "h": 3_600, "m": 60, "s": 1, "ms": 0.001}
_RFC3339 = re.compile(r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:\d{2})")


def moment(text: str, parameter: str) -> float:
    """Seconds of the epoch, from those or from RFC 3339. Raises `PrometheusError`."""
    try:
        if _RFC3339.fullmatch(text):
            return datetime.fromisoformat(text).astimezone(UTC).timestamp()
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not math.isfinite(seconds):
        raise bad_data(parameter, f'cannot parse "{text}" to a valid timestamp')
    return seconds


def duration(text: str, parameter: str) -> float:
    """Seconds, from a number or from a duration such as `1h30m`. Raises `PrometheusError`."""
    try:
        seconds = float(text)
    except ValueError:
        seconds = _of_units(text)
    if not math.isfinite(seconds):
        raise bad_data(parameter, f'cannot parse "{text}" to a valid duration')
    return seconds


def _of_units(text: str) -> float:
    match = _DURATION.fullmatch(text)
    parts = [part for part in match.groups() if part] if match else []
    if not parts:
        return math.nan
    return sum(float(part.rstrip("ywdhms")) * _SECONDS[part.lstrip("0123456789")] for part in parts)


def stamp(seconds: float) -> float:
    """A moment on the wire, exact to a millisecond; whole seconds have no decimals."""
    milliseconds = round(seconds * 1000)
    return milliseconds // 1000 if milliseconds % 1000 == 0 else milliseconds / 1000


def number(value: float) -> str:
    """A sample's value on the wire."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    return format(Decimal(repr(value)).normalize(), "f")
