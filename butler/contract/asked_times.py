"""Times as flat arguments of a tool, in wall times of the owner's zone, and the rule built from them."""

from datetime import date, datetime, time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import Field, NaiveDatetime, ValidationError

from butler.contract.bulk_repeat import LAST_DAY, Weekday
from butler.contract.door import explain
from butler.contract.errors import Refuse
from butler.contract.records import ClosedRecord
from butler.contract.schedules import MOST_TIMES, Every, RecurrenceRule, ZoneChange
from butler.contract.speech import phrase, say
from butler.contract.wall_time import moment

NINE = time(9)
SOON = timedelta(hours=1)
NO_TIME = phrase("say when, as `at`, or how often, as `every`")


class Times(ClosedRecord):
    """When: `at` alone is once; with `every` it is again and again, from `at` on."""

    at: NaiveDatetime | None = None
    """The time; of a recurring rule, the first time."""
    later: bool = False
    """Whether `at` is the second of two equal wall times, when summer time ends."""
    keeps: ZoneChange | None = None
    """What to keep if the owner changes zones: `wall` or `instant`; `kept()` decides if it is not given."""
    every: Every | None = None
    interval: Annotated[int, Field(ge=1, le=1_000)] = 1
    on: Annotated[tuple[Weekday, ...], Field(max_length=7)] = ()
    nth: Annotated[tuple[int, ...], Field(max_length=5)] = ()
    """Which of those weekdays in a month: 1 to 5, or -1 for the last."""
    day: Annotated[int, Field(ge=0, le=LAST_DAY)] = 0
    """The day of the month; 31 is the last day."""
    month: Annotated[int, Field(ge=0, le=12)] = 0
    clocks: Annotated[tuple[time, ...], Field(max_length=24)] = ()
    """The times of day, if there are several or if they differ from the time of `at`."""
    within: Annotated[tuple[time, ...], Field(max_length=2)] = ()
    """The two times of day between which a rule of minutes or hours fires."""
    until: date | None = None
    """The last day."""
    times: Annotated[int, Field(ge=0, le=MOST_TIMES)] = 0
    """The total number of times; 0 for no limit."""


def rule_of(given: Times, zone: str, now: datetime) -> RecurrenceRule:
    """Build the rule; raises `Refuse` if it is invalid. `now` is aware."""
    start = given.at
    if start is None:
        if given.every is None:
            raise Refuse(say(NO_TIME))
        here = now.astimezone(ZoneInfo(zone)).replace(tzinfo=None, second=0, microsecond=0)
        start = datetime.combine(here.date(), min(given.clocks, default=NINE)) if not _short(given) else here
    fields: dict[str, Any] = given.model_dump(include={"interval", "on", "nth", "day", "month", "until"})
    within = given.within if len(given.within) == 2 else None  # noqa: PLR2004 - from and to
    try:
        return RecurrenceRule(
            zone=zone,
            start=start,
            later=given.later,
            keeps=kept(given, zone, now),
            every=given.every,
            at=given.clocks,
            within=within,
            times=given.times,
            **fields,
        )
    except ValidationError as error:
        raise Refuse(explain(error)) from None


def kept(given: Times, zone: str, now: datetime) -> ZoneChange:
    """Return what a rule keeps in another zone: the moment, for times to the second or soon, such as delays from now.

    A rule of minutes or hours, unless bound to hours of the day, keeps its moments too.
    """
    if given.keeps is not None:
        return given.keeps
    if given.every is not None:
        return ZoneChange.INSTANT if _short(given) and not given.within else ZoneChange.WALL
    soon = given.at is not None and moment(given.at.replace(fold=int(given.later)), ZoneInfo(zone)) - now <= SOON
    return ZoneChange.INSTANT if soon or (given.at is not None and given.at.second) else ZoneChange.WALL


def _short(given: Times) -> bool:
    return given.every is not None and given.every.value in {"minute", "hour"}
