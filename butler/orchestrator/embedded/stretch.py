"""Represents the stretch of days or hours that an agenda is asked for."""

from dataclasses import dataclass, replace
from datetime import date, datetime, time, timedelta

Bound = date | datetime | None
"""The bound of a stretch; a day means its midnight, and None is open."""

ONE_DAY = timedelta(1)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch from `since` (included) to `before` (excluded)."""

    since: Bound = None
    before: Bound = None

    def args(self) -> dict[str, str]:
        """Return the bounds as the tools take them: days as dates, times without offset."""
        bounds = {"since": self.since, "before": self.before}
        return {name: written(bound) for name, bound in bounds.items() if bound is not None}

    @property
    def day(self) -> date | None:
        """The only day of the stretch; None if it is longer."""
        if self.since is None or self.before is None:
            return None
        first = day_of(self.since)
        return first if _end(self.before) <= datetime.combine(first + ONE_DAY, time(0)) else None


def written(bound: date | datetime) -> str:
    """Return a bound as the tools take it."""
    return bound.isoformat(timespec="minutes") if isinstance(bound, datetime) else bound.isoformat()


def day_of(bound: date | datetime) -> date:
    """Return the day of a bound."""
    return bound.date() if isinstance(bound, datetime) else bound


def _end(bound: date | datetime) -> datetime:
    return bound if isinstance(bound, datetime) else datetime.combine(bound, time(0))


def from_now(stretch: Stretch, now: datetime) -> Stretch:
    """Return the stretch without the past: one with an open start begins today."""
    return replace(stretch, since=now.date()) if stretch.since is None else stretch
