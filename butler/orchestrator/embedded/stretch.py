"""A stretch of days or hours that an agenda is asked about, as the tools take it."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

Bound = date | datetime | None
"""A day stands for its midnight."""

ONE_DAY = timedelta(1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """From when (included) to when (excluded); none is open."""

    since: Bound = None
    before: Bound = None

    def args(self) -> dict[str, str]:
        """As the tools take it: days as dates, times without offset."""
        bounds = {"since": self.since, "before": self.before}
        return {name: written(bound) for name, bound in bounds.items() if bound is not None}

    @property
    def day(self) -> date | None:
        """The one day that it lies within; None where it is longer."""
        if self.since is None or self.before is None:
            return None
        first = day_of(self.since)
        return first if _end(self.before) <= datetime.combine(first + ONE_DAY, time(0)) else None


def written(bound: date | datetime) -> str:
    """As the tools take it."""
    return bound.isoformat(timespec="minutes") if isinstance(bound, datetime) else bound.isoformat()


def day_of(bound: date | datetime) -> date:
    """The day of a bound."""
    return bound.date() if isinstance(bound, datetime) else bound


def _end(bound: date | datetime) -> datetime:
    return bound if isinstance(bound, datetime) else datetime.combine(bound, time(0))


def from_now(stretch: Stretch, now: datetime) -> Stretch:
    """The same without what is over: an agenda that is open begins today."""
    return replace(stretch, since=now.date()) if stretch.since is None else stretch
