"""Recurring bulk acts: which days, at what time, how many items at most, until when.

A `Repeat` is the request; the first listing turns it into a `Recurrence`, which a card shows and a rule stores. Its
times are wall times of the owner's zone. Dates in an order move on with it: `a week old` means a week old at each run.
"""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, time, timedelta
from enum import StrEnum
from typing import Annotated, Any, Self
from zoneinfo import ZoneInfo

from pydantic import Field, model_validator

from butler.contract.records import ClosedRecord
from butler.contract.speech import phrase, say, say_clock, say_list, say_many
from butler.contract.wall_time import moment

LAST_DAY = 31


class Every(StrEnum):
    """How often."""

    DAY = "day"
    WEEK = "week"
    MONTH = "month"


class Weekday(StrEnum):
    """Days of the week, from Monday."""

    MONDAY = "monday"
    TUESDAY = "tuesday"
    WEDNESDAY = "wednesday"
    THURSDAY = "thursday"
    FRIDAY = "friday"
    SATURDAY = "saturday"
    SUNDAY = "sunday"


_WEEKDAYS = tuple(Weekday)
_ON = {
    Weekday.MONDAY: phrase("every Monday"),
    Weekday.TUESDAY: phrase("every Tuesday"),
    Weekday.WEDNESDAY: phrase("every Wednesday"),
    Weekday.THURSDAY: phrase("every Thursday"),
    Weekday.FRIDAY: phrase("every Friday"),
    Weekday.SATURDAY: phrase("every Saturday"),
    Weekday.SUNDAY: phrase("every Sunday"),
}


class Days(ClosedRecord):
    """Every day, on these days of a week, or on this day of a month; at this time."""

    every: Every
    on: Annotated[tuple[Weekday, ...], Field(max_length=7)] = ()
    day: Annotated[int, Field(ge=0, le=LAST_DAY)] = 0
    """The day of the month; in a shorter month, its last day."""
    at: time = time(9)
    """The time of day in the owner's zone, stored without a zone."""

    @model_validator(mode="after")
    def _says_when(self) -> Self:
        if (self.every is Every.WEEK) != bool(self.on):
            raise ValueError("say on which days of the week, and those only for what is done every week")
        if (self.every is Every.MONTH) != bool(self.day):
            raise ValueError("say on which day of the month, and that only for what is done every month")
        if self.at.tzinfo is not None or self.at.second or self.at.microsecond:
            raise ValueError("write the time as hours and minutes, without a zone")
        return self

    def falls_on(self, day: date) -> bool:
        """Return whether a day is one of its days."""
        match self.every:
            case Every.DAY:
                return True
            case Every.WEEK:
                return _WEEKDAYS[day.weekday()] in self.on
            case Every.MONTH:
                ends = (day + timedelta(days=1)).day == 1
                return day.day == self.day or (ends and day.day < self.day)

    def words(self) -> str:
        """Return words such as `every Sunday at 09:00`."""
        clock = say_clock(self.at)
        match self.every:
            case Every.DAY:
                return say("every day at {clock}", clock=clock)
            case Every.WEEK:
                days = say_list([say(_ON[day]) for day in _WEEKDAYS if day in self.on])
                return say("{days} at {clock}", days=days, clock=clock)
            case Every.MONTH if self.day == LAST_DAY:
                return say("on the last day of every month at {clock}", clock=clock)
            case Every.MONTH:
                return say("on day {day} of every month at {clock}", day=self.day, clock=clock)


class Repeat(Days):
    """When it is to be done again, as it was asked for."""

    most: Annotated[int, Field(ge=0)] = 0
    """The number of items above which it asks; 0 if the owner gave none."""
    until: date | None = None
    """The last day."""
    fixed: Annotated[tuple[str, ...], Field(max_length=10)] = ()
    """Arguments whose dates stay fixed; the dates of all others move on."""


class Recurrence(Days):
    """The same, with all that its first listing settled."""

    most: Annotated[int, Field(ge=1)]
    until: date
    zone: str
    since: date
    """The day in `zone` of the first listing, to which the order's dates refer."""
    moving: tuple[str, ...] = ()
    """The arguments whose dates move on."""
    found: int = 0
    """The number of items in the first listing."""

    def times(self, after: datetime) -> Iterator[datetime]:
        """Yield the moments later than `after` at which it is due, to its end; at most one a day."""
        zone = ZoneInfo(self.zone)
        day = self.local(after).date()
        while day <= self.until:
            if self.falls_on(day) and (at := moment(datetime.combine(day, self.at), zone)) > after:
                yield at
            day += timedelta(days=1)

    def next_time(self, after: datetime) -> datetime | None:
        """Return the next due moment after `after`; None if the recurrence has ended."""
        return next(self.times(after), None)

    def over(self) -> datetime:
        """Return the moment at which the last day ends."""
        return moment(datetime.combine(self.until + timedelta(days=1), time()), ZoneInfo(self.zone))

    def local(self, at: datetime) -> datetime:
        """Return a moment in the recurrence's zone."""
        return at.astimezone(ZoneInfo(self.zone))

    def moved(self, args: Mapping[str, Any], day: date) -> dict[str, Any]:
        """Return the arguments as JSON, with their dates moved on to this day."""
        on = day - self.since
        return {**args, **{name: shifted(args[name], on) for name in self.moving}}

    def ages(self, args: Mapping[str, Any]) -> list[str]:
        """Return its moving dates in relative form, such as `before: 7 days earlier`."""
        return [
            say("{what}: {when}", what=say(_DATES.get(name, name)), when=_ago(self.since - _day(args[name])))
            for name in self.moving
        ]


_DATES = {
    "since": phrase("from"),
    "before": phrase("before"),
    "due_before": phrase("due before"),
}


def shifted(value: str, by: timedelta) -> str:
    """Return an ISO 8601 date, or date and time, shifted by a duration."""
    if "T" in value:
        return (datetime.fromisoformat(value) + by).isoformat()
    return (date.fromisoformat(value) + by).isoformat()


def _day(value: str) -> date:
    return date.fromisoformat(value[:10])


def _ago(days: timedelta) -> str:
    count = abs(days.days)
    if not count:
        return say("the day itself")
    if days > timedelta():
        return say_many(count, "1 day earlier", "{count} days earlier")
    return say_many(count, "1 day later", "{count} days later")
