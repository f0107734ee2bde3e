"""Computes when something is due, once or recurring: wall times of a zone, or durations from a start.

The zone's name and the wall time are stored, never an offset. APScheduler's triggers compute the times of a rule on the
wall clock alone, where no hour is missing or comes twice; only then the zone determines the moment of each. A time that
a change of the clocks leaves out is the first moment after it, and one that comes twice is its first. Rules of minutes
or hours are counted in real time instead, so that none is left out or too many.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Self
from zoneinfo import ZoneInfo

from pydantic import Field, NaiveDatetime, field_validator, model_validator

from butler.contract.bulk_repeat import LAST_DAY, Weekday
from butler.contract.records import ClosedRecord
from butler.contract.wall_time import moment

if TYPE_CHECKING:
    from apscheduler.triggers.base import BaseTrigger

LAST = -1
"""Stands for the last of a month's weekdays, such as the last Friday."""
LEAST_MINUTES = 5
MOST_TIMES = 1_000
_LONGEST_WAIT = timedelta(days=800)
"""How far ahead to search for durations that never meet their hours and days."""
_LONGEST_GAP = timedelta(days=1)
"""The most by which a change of the clocks moves a wall time: exactly this if a zone skips a whole day."""
_SHORT_MONTHS = {29: "2", 30: "2", 31: "2,4,6,9,11"}
"""The months that may lack such a day."""
_DAYS = {day: day.value[:3] for day in Weekday}


class Every(StrEnum):
    """How often."""

    MINUTE = "minute"
    HOUR = "hour"
    DAY = "day"
    WEEK = "week"
    MONTH = "month"
    YEAR = "year"


class ZoneChange(StrEnum):
    """What was meant, for when the person is in another zone: the hour on their clock, or the moment itself."""

    WALL = "wall"
    INSTANT = "instant"


class RecurrenceRule(ClosedRecord):
    """Once at `start`, or every so often from `start` on."""

    zone: str
    """An IANA name."""
    start: NaiveDatetime
    """The wall time; to the minute, and to the second only for durations from now."""
    later: bool = Field(default=False, json_schema_extra={"readOnly": True})
    """Whether `start` is the second of two equal wall times; only for durations from now."""
    keeps: ZoneChange = Field(default=ZoneChange.WALL, json_schema_extra={"readOnly": True})
    every: Every | None = None
    """The unit of recurrence; None for a rule that fires once."""
    interval: Annotated[int, Field(ge=1, le=1_000)] = 1
    """The number of minutes, hours, days, weeks, months or years between times."""
    on: Annotated[tuple[Weekday, ...], Field(max_length=7)] = ()
    """Days of the week, for a rule of weeks or days, or with `nth` for a rule of months."""
    nth: Annotated[tuple[int, ...], Field(max_length=5)] = ()
    """Which of those weekdays in a month: 1 to 5, or -1 for the last."""
    day: Annotated[int, Field(ge=0, le=LAST_DAY)] = 0
    """The day of the month; in a shorter month, its last day."""
    month: Annotated[int, Field(ge=0, le=12)] = 0
    """The month of a year."""
    at: Annotated[tuple[time, ...], Field(max_length=24)] = ()
    """The wall times of its days; the time of `start` if there are none."""
    within: tuple[time, time] | None = None
    """The hours of the day within which a rule of minutes or hours fires, both included."""
    until: date | None = None
    """The last day."""
    times: Annotated[int, Field(ge=0, le=MOST_TIMES)] = 0
    """The total number of times; 0 for no limit."""

    @field_validator("zone")
    @classmethod
    def _is_a_zone(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (KeyError, ValueError, OSError) as error:
            raise ValueError(f"{name[:60]} is no time zone; write one such as Europe/Berlin") from error
        return name

    @field_validator("start")
    @classmethod
    def _to_the_second(cls, start: datetime) -> datetime:
        return start.replace(microsecond=0, fold=0)

    @model_validator(mode="after")
    def _fits(self) -> Self:
        wrong = next((what for what, holds in self._rules() if not holds), "")
        if wrong:
            raise ValueError(wrong)
        return self

    def _rules(self) -> Iterator[tuple[str, bool]]:
        short = self.every in {Every.MINUTE, Every.HOUR}
        yield "what is due once has no days", self.every is not None or not (self.on or self.nth or self.day or self.at)
        yield "say on which weekdays of the month", not self.nth or (bool(self.on) and self.every is Every.MONTH)
        yield "a month has up to five of a weekday", all(n == LAST or 1 <= n <= 5 for n in self.nth)  # noqa: PLR2004
        yield "days of the week are of weeks, days or months", not self.on or self.every is not Every.YEAR
        yield "say on which of them", not (self.on and self.every is Every.MONTH) or bool(self.nth)
        yield "either a day or weekdays of the month", not (self.day and self.nth)
        yield "a day of the month is of months or years", not self.day or self.every in {Every.MONTH, Every.YEAR}
        yield "a month is of years", not self.month or self.every is Every.YEAR
        yield "hours of the day are for minutes and hours", self.within is None or short
        yield "minutes and hours have no times of day", not (short and self.at)
        yield (
            f"at the most every {LEAST_MINUTES} minutes",
            self.every is not Every.MINUTE or self.interval >= LEAST_MINUTES,
        )
        yield "times have no zone of their own", all(at.tzinfo is None for at in self._clocks())

    def _clocks(self) -> Sequence[time]:
        return (*self.at, *(self.within or ()))

    @property
    def repeats(self) -> bool:
        return self.every is not None

    def fires(self, after: datetime, already: int = 0) -> Iterator[datetime]:
        """Yield the moments later than `after`, in UTC and in order, no two alike.

        `already` is the number of past times, which counts against `times`.
        """
        left = self.times - already if self.times else None
        if not self.repeats:
            left = 1 - already
        last = after
        for at in self._moments(after):
            if left is not None and left <= 0:
                return
            if at <= last:
                continue
            last = at
            if left is not None:
                left -= 1
            yield at

    def next_fire(self, after: datetime, already: int = 0) -> datetime | None:
        """Return the first moment after `after`; None if there is none left."""
        return next(self.fires(after, already), None)

    def local(self, at: datetime) -> datetime:
        """Return a moment in the rule's zone, aware."""
        return at.astimezone(ZoneInfo(self.zone))

    def wall(self, at: datetime) -> datetime:
        """Return the wall time of one of the rule's moments, even one that the clocks leave out; without an offset."""
        zone = ZoneInfo(self.zone)
        if self.every in {Every.MINUTE, Every.HOUR}:
            walls: Iterator[datetime] = iter(())
        else:
            walls = self._walls(at) if self.repeats else iter((self.start,))
        found = next((wall for wall in walls if moment(wall, zone) >= at), None)
        return found if found and moment(found, zone) == at else self.local(at).replace(tzinfo=None, fold=0)

    def moved(self, zone: str, now: datetime) -> Self:
        """Return the same rule for an owner in another zone: what `keeps` names stays, the other follows.

        A time whose wall time is already past there keeps its moment.
        """
        if self.keeps is ZoneChange.WALL and (self.repeats or moment(self.start, ZoneInfo(zone)) > now):
            return self.model_copy(update={"zone": zone, "later": False})
        if self.repeats:
            return self
        there = self._first(ZoneInfo(self.zone)).astimezone(ZoneInfo(zone))
        start = there.replace(tzinfo=None, fold=0)
        return self.model_copy(update={"zone": zone, "start": start, "later": bool(there.fold)})

    def _first(self, zone: ZoneInfo) -> datetime:
        """Return the moment of the start."""
        return moment(self.start.replace(fold=int(self.later)), zone)

    def _moments(self, after: datetime) -> Iterator[datetime]:
        zone = ZoneInfo(self.zone)
        match self.every:
            case None:
                yield self._first(zone)
            case Every.MINUTE | Every.HOUR:
                yield from self._steps(after, zone)
            case _:
                yield from (moment(wall, zone) for wall in self._walls(after))

    def _steps(self, after: datetime, zone: ZoneInfo) -> Iterator[datetime]:
        """Yield moments at lengths of real time from the start."""
        unit = timedelta(minutes=1) if self.every is Every.MINUTE else timedelta(hours=1)
        step, first = unit * self.interval, self._first(zone)
        at = first + step * max(0, (after - first) // step)
        ends = max(after, first) + _LONGEST_WAIT
        while at < ends:
            wall = at.astimezone(zone)
            if self.until and wall.date() > self.until:
                return
            if self._is_within(wall):
                ends = at + _LONGEST_WAIT
                yield at
            at += step

    def _is_within(self, wall: datetime) -> bool:
        if self.on and _weekday(wall.date()) not in self.on:
            return False
        if self.within is None:
            return True
        begins, ends = self.within
        clock = wall.time().replace(tzinfo=None)
        return begins <= clock <= ends if begins <= ends else clock >= begins or clock <= ends

    def _walls(self, after: datetime) -> Iterator[datetime]:
        """Yield wall times, in order, from a little before `after` on."""
        trigger: Any = self._trigger()
        last: datetime | None = None
        here = max(self.start, self.local(after).replace(tzinfo=None) - _LONGEST_GAP).replace(tzinfo=UTC)
        while (found := trigger.get_next_fire_time(last, here)) is not None:
            last, here = found, found
            wall = found.replace(tzinfo=None)
            if self.until and wall.date() > self.until:
                return
            if wall >= self.start and self._is_its_turn(wall.date()):
                yield wall

    def _is_its_turn(self, day: date) -> bool:
        """Return whether a day's turn has come: every so many days, weeks, months or years from the start."""
        start = self.start.date()
        match self.every:
            case Every.DAY:
                passed = (day - start).days
            case Every.WEEK:
                passed = ((day - timedelta(day.weekday())) - (start - timedelta(start.weekday()))).days // 7
            case Every.MONTH:
                passed = (day.year - start.year) * 12 + day.month - start.month
            case _:
                passed = day.year - start.year
        return passed % self.interval == 0

    def _trigger(self) -> "BaseTrigger":
        """Return the trigger of all wall times on its days, without zones."""
        from apscheduler.triggers.combining import OrTrigger  # noqa: PLC0415 - a tenth of a second, for who needs it

        clocks = self.at or (self.start.time(),)
        triggers = [_cron(clock, **days) for days in self._days() for clock in sorted(set(clocks))]
        return triggers[0] if len(triggers) == 1 else OrTrigger(triggers)

    def _days(self) -> Iterator[dict[str, str]]:
        on = self.on or ((_weekday(self.start.date()),) if self.every is Every.WEEK else ())
        match self.every:
            case Every.DAY | Every.WEEK:
                yield {"day_of_week": ",".join(_DAYS[day] for day in on)} if on else {}
            case Every.MONTH if self.nth:
                for nth in self.nth:
                    yield {"day": ",".join(f"{_ORDINALS[nth]} {_DAYS[day]}" for day in on)}
            case Every.MONTH:
                yield from _of_month(self.day or self.start.day, "*")
            case _:
                yield from _of_month(self.day or self.start.day, str(self.month or self.start.month))


_ORDINALS = {1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 5: "5th", LAST: "last"}


def _weekday(day: date) -> Weekday:
    return tuple(Weekday)[day.weekday()]


def _of_month(day: int, month: str) -> Iterator[dict[str, str]]:
    """Yield a day of these months, and the last day of those that lack it."""
    yield {"day": str(day), "month": month}
    short = set(_SHORT_MONTHS.get(day, "").split(",")) - {""}
    wanted = short if month == "*" else short & {month}
    if wanted:
        yield {"day": "last", "month": ",".join(sorted(wanted, key=int))}


def _cron(clock: time, **days: str) -> Any:
    from apscheduler.triggers.cron import CronTrigger  # noqa: PLC0415 - as above

    return CronTrigger(hour=clock.hour, minute=clock.minute, second=clock.second, timezone=UTC, **days)
