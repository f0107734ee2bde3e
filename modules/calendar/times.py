"""When an event is: as the person says it (a day, or a wall time where they live), as Google has it, as it is said.

A wall time that is skipped when the clocks go forward is the first one that exists after it; one that comes twice is
the first of the two. Both are told.
"""

from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Annotated, Any
from zoneinfo import ZoneInfo

from pydantic import BeforeValidator, PlainSerializer

from butler.contract.speech import say, say_clock, say_day, say_moment
from butler.contract.wall_time import moment

YEARS = range(1970, 2200)
DAY = timedelta(days=1)


def read_when(value: Any) -> Any:
    """A day (`2027-03-05`) or a wall time (`2027-03-05T14:30`) as it was written. Raises `ValueError`."""
    if isinstance(value, str):
        text = value.strip()
        try:
            value = datetime.fromisoformat(text) if len(text) > len("2027-03-05") else date.fromisoformat(text)
        except ValueError as error:
            raise ValueError(say("must be an ISO date, or an ISO date and time")) from error
    if not isinstance(value, date):
        raise ValueError(say("must be an ISO date, or an ISO date and time"))  # noqa: TRY004 - pydantic takes this kind
    if isinstance(value, datetime):
        if value.tzinfo is not None:
            raise ValueError(say("must be a local time, without an offset"))
        value = value.replace(second=0, microsecond=0)
    if value.year not in YEARS:
        raise ValueError(say("must lie between {first} and {last}", first=YEARS.start, last=YEARS.stop - 1))
    return value


def _written(value: date | None) -> str | None:
    return None if value is None else value.isoformat()


_WRITTEN = PlainSerializer(_written, return_type=str | None)
When = Annotated[datetime | date, BeforeValidator(read_when), _WRITTEN]
"""A day, or a wall time of the person's."""


def _read_optional(value: Any) -> Any:
    return None if value is None or value == "" else read_when(value)


OptionalWhen = Annotated[datetime | date | None, BeforeValidator(_read_optional), _WRITTEN]
"""The same, or nothing."""


def is_day(when: date) -> bool:
    """Whether it is a whole day."""
    return not isinstance(when, datetime)


def check_kinds(start: date, end: date) -> None:
    """Raise `ValueError` unless both are days, or both times."""
    if is_day(start) != is_day(end):
        raise ValueError(say("start and end are both days, or both times"))


def own_zone(in_zone: str, zone: ZoneInfo) -> ZoneInfo:
    """The zone in which a call's wall times are: the one that it was frozen with, or else where the person lives."""
    return ZoneInfo(in_zone) if in_zone else zone


def in_zone_of(at: date, zone: ZoneInfo) -> date:
    """The same moment by the clocks of a zone; a day is one everywhere."""
    return at.astimezone(zone) if isinstance(at, datetime) else at


def moment_of(when: date, zone: ZoneInfo) -> datetime:
    """The moment of a wall time, or of the midnight that a day begins with."""
    naive = when if isinstance(when, datetime) else datetime.combine(when, time())
    return moment(naive, zone).astimezone(zone)


def length_of(start: date, end: date) -> timedelta:
    """How long something lasts, whatever the clocks do in between."""
    if isinstance(start, datetime) and isinstance(end, datetime):
        return end.astimezone(UTC) - start.astimezone(UTC)
    return timedelta(days=end.toordinal() - start.toordinal())


def later(start: date, length: timedelta) -> date:
    """When it is over, in the zone in which it began."""
    return (start.astimezone(UTC) + length).astimezone(start.tzinfo) if isinstance(start, datetime) else start + length


def remark(when: date, zone: ZoneInfo) -> str:
    """What the clocks do at this wall time, where the person should know it."""
    if not isinstance(when, datetime):
        return ""
    found = moment_of(when, zone)
    if found.replace(tzinfo=None) != when:
        return say("The clocks go forward then; it is taken as {time}.", time=say_clock(found))
    if when.replace(tzinfo=zone, fold=0).utcoffset() != when.replace(tzinfo=zone, fold=1).utcoffset():
        return say("The clocks go back then; the first of the two is taken.")
    return ""


def said_span(start: date, end: date, zone: ZoneInfo) -> str:
    """When something is, with the zone. Of whole days, `end` is the day after the last, as Google has it."""
    if not isinstance(start, datetime) or not isinstance(end, datetime):
        last = end - DAY
        if last <= start:
            return say("{day}, all day", day=say_day(start))
        return say("{first} to {last}, all day", first=say_day(start), last=say_day(last))
    if start == end:
        return say("{moment} ({place})", moment=say_moment(start), place=zone.key)
    until = say_clock(end) if end.date() == start.date() else say_moment(end)
    return say("{begins} to {ends} ({place})", begins=say_moment(start), ends=until, place=zone.key)


@dataclass(frozen=True, slots=True)
class Range:
    """From one moment to another, the second one exclusive; either may be open."""

    since: datetime | None = None
    before: datetime | None = None
