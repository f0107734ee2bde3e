"""Times as flat arguments of a tool, in wall times of the owner's zone, and the rule built from them."""

from datetime import date, datetime, time, timedelta
from typing import Any
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

    at: NaiveDatetime | None = Field(
        default=None,
        description="Local time in the future; of what repeats, the first.",
        examples=["2026-03-02T09:00:00"],
    )
    later: bool = Field(default=False, json_schema_extra={"readOnly": True})
    """Whether `at` is the second of two equal wall times, when summer time ends."""
    keeps: ZoneChange | None = Field(
        default=None,
        description='Abroad: `wall` keeps the hour, `instant` the moment, as for "in 20 minutes".',
        examples=["instant"],
    )
    """`kept()` decides if it is not given."""
    every: Every | None = Field(default=None, description="Unit of repetition; left out: once.", examples=["week"])
    interval: int = Field(default=1, ge=1, le=1_000, description="Every so many of `every`.", examples=[2])
    on: tuple[Weekday, ...] = Field(default=(), max_length=7, description="Days of the week.", examples=[["monday"]])
    nth: tuple[int, ...] = Field(
        default=(), max_length=5, description="Which of the weekdays `on` in a month; -1: the last.", examples=[[1]]
    )
    day: int = Field(default=0, ge=0, le=LAST_DAY, description="Day of the month; 31: the last.", examples=[15])
    month: int = Field(default=0, ge=0, le=12, description="Month of the year.", examples=[12])
    clocks: tuple[time, ...] = Field(
        default=(), max_length=24, description="Times of day, where not that of `at`.", examples=[["08:00", "20:00"]]
    )
    within: tuple[time, ...] = Field(
        default=(),
        max_length=2,
        description="First and last time of day; with `every` minute or hour.",
        examples=[["09:00", "17:00"]],
    )
    until: date | None = Field(
        default=None, description="Last day, included; left out: no end.", examples=["2026-12-18"]
    )
    times: int = Field(default=0, ge=0, le=MOST_TIMES, description="How many times in all; 0: no limit.", examples=[5])


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
