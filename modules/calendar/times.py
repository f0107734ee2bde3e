"""An event's times: as the owner writes them (a day, or a local wall time), as Google has them, and in words.

A wall time that is skipped when the clocks go forward is the first one that exists after it; one that occurs twice is
the first of the two. Both are reported.
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
    """Parse a day (`2027-03-05`) or a wall time (`2027-03-05T14:30`). Raise `ValueError`."""
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
"""A day, or a wall time of the owner's."""


def _read_optional(value: Any) -> Any:
    return None if value is None or value == "" else read_when(value)


OptionalWhen = Annotated[datetime | date | None, BeforeValidator(_read_optional), _WRITTEN]
"""The same, or None."""


def is_day(when: date) -> bool:
    """Return whether this is a whole day."""
    return not isinstance(when, datetime)


def check_kinds(start: date, end: date) -> None:
    """Raise `ValueError` unless both are days, or both times."""
    if is_day(start) != is_day(end):
        raise ValueError(say("start and end are both days, or both times"))


def own_zone(in_zone: str, zone: ZoneInfo) -> ZoneInfo:
    """Return the zone of a call's wall times: the one that it was frozen with, or else the owner's."""
    return ZoneInfo(in_zone) if in_zone else zone


def in_zone_of(at: date, zone: ZoneInfo) -> date:
    """Convert a moment to a zone; a day stays as it is."""
    return at.astimezone(zone) if isinstance(at, datetime) else at


def moment_of(when: date, zone: ZoneInfo) -> datetime:
    """Return the moment of a wall time, or of a day's midnight."""
    naive = when if isinstance(when, datetime) else datetime.combine(when, time())
    return moment(naive, zone).astimezone(zone)


def length_of(start: date, end: date) -> timedelta:
    """Return the elapsed time, across changes of the clocks."""
    if isinstance(start, datetime) and isinstance(end, datetime):
        return end.astimezone(UTC) - start.astimezone(UTC)
    return timedelta(days=end.toordinal() - start.toordinal())


def later(start: date, length: timedelta) -> date:
    """Return the end, in the zone of the start."""
    return (start.astimezone(UTC) + length).astimezone(start.tzinfo) if isinstance(start, datetime) else start + length


def remark(when: date, zone: ZoneInfo) -> str:
    """Return a remark if the clocks change at this wall time."""
    if not isinstance(when, datetime):
        return ""
    found = moment_of(when, zone)
    if found.replace(tzinfo=None) != when:
        return say("The clocks go forward then; it is taken as {time}.", time=say_clock(found))
    if when.replace(tzinfo=zone, fold=0).utcoffset() != when.replace(tzinfo=zone, fold=1).utcoffset():
        return say("The clocks go back then; the first of the two is taken.")
    return ""


def span_text(start: date, end: date, zone: ZoneInfo) -> str:
    """Return an event's times in words, with the zone. For whole days, `end` is the day after the last."""
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
    """A range of moments, the second one exclusive; either may be open."""

    since: datetime | None = None
    before: datetime | None = None
