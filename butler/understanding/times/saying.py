"""A time as the words state it, before it is resolved to a moment or days."""

from dataclasses import dataclass
from datetime import date, datetime, time

USUAL_CLOCKS = {"morning": time(9), "noon": time(12), "afternoon": time(15), "evening": time(19), "night": time(21)}
"""The clock that a part of the day means where no clock is said."""


@dataclass(frozen=True, slots=True)
class TimeSaid:
    """The parts of a time as they were said; days are local."""

    day: date | None = None
    until_day: date | None = None
    """The last day, if several were said: `next week`, `from Monday to Friday`."""
    clock: time | None = None
    until_clock: time | None = None
    part: str = ""
    """`morning`, `noon`, `afternoon`, `evening`, `night` or `midnight`."""
    moment: datetime | None = None
    """A moment counted from now, such as `in 20 minutes`: local, without offset."""
    weekday: bool = False
    """Whether the day was said as a weekday: if the time has passed today, next week's day is meant."""
    half_said: bool = True
    """Whether the half of the day is known; false for a clock such as `at 5`."""
    same_clock: bool = False
    """Whether the day is counted from now, at the current time of day: `in two days`."""
    bound: str = ""
    """`before` or `since`, if that was said."""
    or_day: date | None = None
    """The other day that figures may mean: `4/5`."""

    @property
    def empty(self) -> bool:
        """Return whether nothing was said."""
        return self == TimeSaid()
