"""The half of the day in which a bare clock is meant: `at six`, `tomorrow at 5`."""

from dataclasses import replace
from datetime import datetime, time

from butler.understanding.times.saying import TimeSaid

NOON = 12
AFTERNOON_UNTIL = 7
"""The hour of a bare clock on a day from which on it is meant as said; before it is in the afternoon."""
WAKING = range(7, 23)
"""Hours in which people want to be told something."""


def likely(found: TimeSaid, now: datetime, *, back: bool = False) -> TimeSaid:
    """Return the time with its clock in the half of the day that is meant, where nothing says which.

    Without a day it is the next time at which the clock shows it between 7:00 and 22:59. On a day, 1 to 6 o'clock are
    in the afternoon, and 7 to 12 are as said. `back` is for a time that is over: the last one, if it was today.
    """
    clock = found.clock
    if clock is None or found.half_said or found.part or not 0 < clock.hour <= NOON:
        return found
    if found.day is not None and (found.weekday or found.day != now.date()):
        return _in_half(found, clock, late=clock.hour < AFTERNOON_UNTIL)
    wall = now.replace(tzinfo=None)
    halves = {late: datetime.combine(wall.date(), _hour(clock, late=late)) for late in (False, True)}
    if back:
        return _in_half(found, clock, late=halves[True] <= wall)
    to_come = [late for late, at in halves.items() if at > wall and at.hour in WAKING]
    return _in_half(found, clock, late=to_come[0] if to_come else clock.hour < AFTERNOON_UNTIL)


def _hour(clock: time, *, late: bool) -> time:
    return clock.replace(hour=clock.hour % NOON + (NOON if late or clock.hour == NOON else 0))


def _in_half(found: TimeSaid, clock: time, *, late: bool) -> TimeSaid:
    begin, until = _hour(clock, late=late), found.until_clock
    if until is not None and until <= begin and until.hour < NOON:
        until = until.replace(hour=until.hour + NOON)
    return replace(found, clock=begin, until_clock=until, half_said=True)
