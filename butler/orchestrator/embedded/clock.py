"""Times of day as people say them: `9`, `9:30`, `9 pm`, `half past nine`, noon, `in the evening`."""

import re
from datetime import time
from enum import Enum

from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count

DIGITS = re.compile(r"(\d{1,2})(?:[:.](\d{2}))?(am|pm|a\.m|p\.m)?|([01]\d|2[0-3])h?([0-5]\d)", re.ASCII)
ZERO = re.compile(r"0\d", re.ASCII)
HALF_DAYS = {"am": 0, "a.m": 0, "pm": 12, "p.m": 12}
AT = phrases("[at|by] [about|around]", "@")
NAMED = ((phrases("[at] (noon|midday)"), time(12)), (phrases("[at] midnight"), time(0)))
PAST = (
    (phrases("half past"), 0, 30),
    (phrases("[a] quarter past"), 0, 15),
    (phrases("[a] quarter to"), -1, 45),
)
HOURS = 24
NOON = 12
SMALL_HOURS = 5


class Part(Enum):
    """A part of the day, and the time it stands for where no other is said."""

    MORNING = time(9)
    AFTERNOON = time(14)
    EVENING = time(18)
    NIGHT = time(20)


PARTS = {"morning": Part.MORNING, "afternoon": Part.AFTERNOON, "evening": Part.EVENING, "night": Part.NIGHT}


def clock_at(tail: Tail) -> tuple[time, Tail] | None:
    """The time of day that stands here; a bare number needs an `at` before it."""
    for option, value in NAMED:
        if (after := tail.take(option)) is not None:
            return value, after
    start = tail.past(AT)
    for option, hours, minutes in PAST:
        if (after := start.take(option)) is not None and (hour := count(after.word())) and hour < HOURS:
            half = HALF_DAYS.get(after.word(1))
            clock = time((hour + hours) % HOURS, minutes)
            if half is None or not 1 <= hour <= NOON:
                return clock, after.skip()
            return clock.replace(hour=(hour % NOON + half + hours) % HOURS), after.skip(2)
    return _digits(start, said_at=start.at > tail.at)


def says_half(tail: Tail) -> bool:
    """Whether a time says which half of the day it is in: `5 pm`, noon, `05:00`; not `at 5` or `half past five`."""
    words = [token.word for token in tail.tokens[tail.at : tail.end]]
    return any(w in {"noon", "midday", "midnight"} or w.endswith(tuple(HALF_DAYS)) or ZERO.match(w) for w in words)


def _digits(tail: Tail, *, said_at: bool) -> tuple[time, Tail] | None:
    match = DIGITS.fullmatch(tail.word())
    if match and match[4]:
        return (time(int(match[4]), int(match[5])), tail.skip()) if said_at else None
    hour = int(match[1]) if match else count(tail.word()) if tail.word() not in {"a", "an"} else None
    if hour is None:
        return None
    minute, half = (int(match[2] or 0), match[3] or "") if match else (0, "")
    after = tail.skip()
    if not half and after.word() in HALF_DAYS:
        half, after = after.word(), after.skip()
    oclock = after.word() in {"o'clock", "oclock"}
    after = after.skip() if oclock else after
    half = half.removesuffix(".")
    written = match is not None and ":" in tail.word()
    return _time(hour, minute, half, after) if said_at or half or oclock or written else None


def _time(hour: int, minute: int, half: str, after: Tail) -> tuple[time, Tail] | None:
    if half:
        if not 1 <= hour <= NOON:
            return None
        hour = hour % NOON + HALF_DAYS[half]
    return (time(hour, minute), after) if hour < HOURS and minute < 60 else None  # noqa: PLR2004 - minutes of an hour


def in_part(clock: time, part: Part | None) -> tuple[time, int]:
    """A time read within a part of the day (`8` in the evening is 20:00), and the days that go over midnight."""
    hour = clock.hour
    if part is Part.NIGHT and (hour < SMALL_HOURS or hour == NOON):
        return clock.replace(hour=hour % NOON), 1
    if part in {Part.AFTERNOON, Part.EVENING, Part.NIGHT} and hour < NOON:
        return clock.replace(hour=hour + NOON), 0
    return clock, 0
