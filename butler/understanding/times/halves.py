"""Chooses the half of the day that a bare clock means: `at six`, `tomorrow at 5`."""

from dataclasses import replace
from datetime import datetime, time

from butler.understanding.times.saying import TimeSaid

NOON = 12
AFTERNOON_UNTIL = 7
"""On a given day, a bare clock from this hour on is meant as said; an earlier one is in the afternoon."""
WAKING = range(7, 23)
"""Hours in which people want to be told something."""


def likely(found: TimeSaid, now: datetime, *, back: bool = False) -> TimeSaid:
    """Return the time with its clock in the likely half of the day, if the words do not say which.

    Without a day, the next such time between 7:00 and 22:59 is meant. On a day, 1 to 6 o'clock are in the afternoon,
    and 7 to 12 are as said. With `back`, the time is in the past: the last such time, if it was today.
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
