"""Durations as people write them: `10s`, `90m`, `48h`, `7d`."""

import re
from datetime import timedelta
from typing import Annotated, Any

from pydantic import BeforeValidator, PlainSerializer

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days"}


def parse_duration(value: Any) -> Any:
    """Parse a duration from text; leave anything but text to pydantic."""
    if not isinstance(value, str):
        return value
    match = re.fullmatch(r"\s*(\d+)\s*([smhd])\s*", value)
    if match is None:
        raise ValueError("write a duration as a whole number and s, m, h or d, such as 10s or 48h")
    return timedelta(**{UNITS[match[2]]: int(match[1])})


def show_duration(value: timedelta) -> str:
    """Return its shortest notation."""
    seconds = int(value.total_seconds())
    for unit, size in (("d", 86_400), ("h", 3_600), ("m", 60)):
        if seconds and seconds % size == 0:
            return f"{seconds // size}{unit}"
    return f"{seconds}s"


Duration = Annotated[timedelta, BeforeValidator(parse_duration), PlainSerializer(show_duration, when_used="json")]
