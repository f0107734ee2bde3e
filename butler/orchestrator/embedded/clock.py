"""Defines the parts of the day, and reads hours within them."""

from datetime import time
from enum import Enum

NOON = 12
SMALL_HOURS = 5


class Part(Enum):
    """A part of the day, and its default time."""

    MORNING = time(9)
    AFTERNOON = time(14)
    EVENING = time(18)
    NIGHT = time(20)


def in_part(clock: time, part: Part | None) -> tuple[time, int]:
    """Return a time read within a part of the day (`8` in the evening is 20:00), and 1 if it is past midnight."""
    hour = clock.hour
    if part is Part.NIGHT and (hour < SMALL_HOURS or hour == NOON):
        return clock.replace(hour=hour % NOON), 1
    if part in {Part.AFTERNOON, Part.EVENING, Part.NIGHT} and hour < NOON:
        return clock.replace(hour=hour + NOON), 0
    return clock, 0
