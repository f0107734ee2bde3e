"""What was said of a time, before it is known which moment or which days are meant."""

from dataclasses import dataclass
from datetime import date, datetime, time


@dataclass(frozen=True, slots=True)
class TimeSaid:
    """The parts of a time as they were said; days are local."""

    day: date | None = None
    until_day: date | None = None
    """The last day, where several were said: `next week`, `from Monday to Friday`."""
    clock: time | None = None
    until_clock: time | None = None
    part: str = ""
    """`morning`, `noon`, `afternoon`, `evening`, `night` or `midnight`."""
    moment: datetime | None = None
    """Said from now on, such as `in 20 minutes`: local, without offset."""
    weekday: bool = False
    """Said as a day of the week: once past for today, next week's is meant."""
    half_said: bool = True
    """False where the clock may be of the morning or of the afternoon, such as `at 5`."""
    same_clock: bool = False
    """Days from now on, at this time of day: `in two days`."""
    bound: str = ""
    """`before` or `since`, where that was said."""
    or_day: date | None = None
    """The other day that figures may mean: `4/5`."""

    @property
    def empty(self) -> bool:
        """True where nothing was said."""
        return self == TimeSaid()
