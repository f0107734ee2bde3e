"""Hours of appointments: `at 3pm`, `10-11`, `from 2 to 4pm`, `for an hour and a half`, `30 minutes`.

An hour from one to six that says no half of the day is one of the afternoon: nobody meets before dawn without saying.
"""

import re
from datetime import time

from butler.orchestrator.embedded import lengths
from butler.orchestrator.embedded.clock import HOURS, NOON, clock_at, says_half
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count

CLOCK = r"(\d{1,2})(?:[:.](\d{2}))?\s*(am|pm|a\.m\.?|p\.m\.?)?"
RANGE = re.compile(rf"{CLOCK}\s*(?:-|–|—|to|until|till|and)\s*(?:at\s+)?{CLOCK}(?![\w:])", re.IGNORECASE | re.ASCII)
BEFORE_RANGE = phrases("(from|between|at)")
DAWN = 7
SIXTY, LONGEST = 60, 14 * 24 * 60

Hours = tuple[time, time]


def hour_at(tail: Tail) -> tuple[time, Tail] | None:
    """The hour that stands here, with or without an `at`, in the half of the day where people meet."""
    found = clock_at(tail)
    if found is None and tail.word()[:1].isdigit() and count(tail.word()) is not None:
        number = int(tail.word())
        found = (time(number), tail.skip()) if number < HOURS else None
    if found is None:
        return None
    clock, after = found
    return (clock if says_half(tail.until(after)) else _by_day(clock)), after


def _by_day(clock: time) -> time:
    return clock.replace(hour=clock.hour + NOON) if 0 < clock.hour < DAWN else clock


def hours_at(tail: Tail) -> tuple[Hours, Tail] | None:
    """`10-11`, `from 10:00 to 11:30`, `2-4pm`: from when to when. Without an hour that could be, none."""
    start = tail.past(BEFORE_RANGE)
    if start.done:
        return None
    match = RANGE.match(start.source, start.tokens[start.at].start)
    if match is None:
        return None
    after = start
    while not after.done and after.tokens[after.at].start < match.end():
        after = after.skip()
    marked = start.at > tail.at or match[2] or match[3] or match[5] or match[6] or "-" in match[0] or "–" in match[0]
    hours = _read(match) if marked else None
    return (hours, after) if hours else None


def _read(match: re.Match[str]) -> Hours | None:
    first, last = int(match[1]), int(match[4])
    half = _half(match[3]), _half(match[6])
    begin = _clock(first, match[2], half[0])
    if half[0] is None and half[1] is not None:
        # `2-4pm`, but `10-2pm`: the first hour is the nearest before the second.
        begin = _clock(first, match[2], half[1])
        end = _clock(last, match[5], half[1])
        begin = _clock(first, match[2], 1 - half[1]) if begin and end and begin >= end else begin
    else:
        end = _clock(last, match[5], half[1])
    if begin is None or end is None:
        return None
    if half == (None, None) and match[1][0] != "0":
        begin = _by_day(begin)
    if end <= begin and half[1] is None and end.hour < NOON:
        end = end.replace(hour=end.hour + NOON)
    return (begin, end) if begin < end else None


def _half(said: str | None) -> int | None:
    return None if not said else int(said[0].lower() == "p")


def _clock(hour: int, minute: str | None, half: int | None) -> time | None:
    if half is not None:
        if not 1 <= hour <= NOON:
            return None
        hour = hour % NOON + NOON * half
    minutes = int(minute or 0)
    return time(hour, minutes) if hour < HOURS and minutes < SIXTY else None


def length_at(tail: Tail) -> tuple[int, Tail] | None:
    """How long, in minutes: `an hour`, `half an hour`, `90 minutes`, `2 hours and a half`, `2h`, `a day`."""
    found = lengths.length_at(tail)
    minutes = found[0].minutes if found is not None else None
    return (minutes, found[1]) if found is not None and minutes and minutes <= LONGEST else None
