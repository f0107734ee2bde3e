"""The occurrences of a recurring event: its RRULE worked out on the wall clock of the event's zone."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta, tzinfo
from typing import cast
from zoneinfo import ZoneInfo

from dateutil.rrule import rrule, rruleset, rrulestr

from butler_demo.calendar.times import is_all_day, length_of, moment_of, moved_time, wall_clock
from butler_demo.google.call import Json
from butler_demo.google.errors import GoogleError, not_in_stand_in

_UNTIL = re.compile(r"UNTIL=(\d{8}(?:T\d{6}Z?)?)", re.IGNORECASE)
_INSTANCE = re.compile(r"\w+_\d{8}(?:T\d{6}Z)?")


@dataclass(frozen=True)
class Occurrence:
    """One occurrence as the rule has it, before any exception."""

    id: str
    start: Json
    end: Json


def check_recurrence(data: Json) -> None:
    """Raise GoogleError 400 unless the event's rules can be worked out."""
    try:
        next(occurrences(data, UTC), None)
    except (ValueError, TypeError, AttributeError) as error:
        raise GoogleError(400, "invalid", "Invalid recurrence rule.") from error


def occurrences(data: Json, zone: tzinfo) -> Iterator[Occurrence]:
    """Return the occurrences of a recurring event from the first on, without end where the rule has none.

    `zone` is the calendar's, in which dates begin. Raises ValueError for a rule that cannot be read.
    """
    start = data["start"]
    length = length_of(start, data["end"], zone)
    for naive in _rules(data["recurrence"], start):
        begins = moved_time(start, naive)
        yield Occurrence(instance_id(data["id"], begins), begins, _end(data["end"], begins, length, zone))


def between(data: Json, zone: tzinfo, after: datetime | None, before: datetime) -> Iterator[Occurrence]:
    """Return the occurrences that end after the one moment and start before the other."""
    for occurrence in occurrences(data, zone):
        if moment_of(occurrence.start, zone) >= before:
            return
        if after is None or moment_of(occurrence.end, zone) > after:
            yield occurrence


def occurrence_with_id(data: Json, zone: tzinfo, wanted: str) -> Occurrence | None:
    """Return the occurrence that an instance id names, None where the rule has none at that time."""
    if not _INSTANCE.fullmatch(wanted):
        return None
    for occurrence in occurrences(data, zone):
        if occurrence.id == wanted:
            return occurrence
        if occurrence.id.rpartition("_")[2] > wanted.rpartition("_")[2]:
            return None
    return None


def instance_id(event_id: str, original_start: Json) -> str:
    """Return the id of the occurrence that starts then, by the rule."""
    if is_all_day(original_start):
        return f"{event_id}_{original_start['date'].replace('-', '')}"
    return f"{event_id}_{datetime.fromisoformat(original_start['dateTime']).astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _end(end: Json, begins: Json, length: timedelta, zone: tzinfo) -> Json:
    if is_all_day(begins):
        return {"date": (date.fromisoformat(begins["date"]) + length).isoformat()}
    ends = moment_of(begins, zone).astimezone(UTC) + length
    local = ends.astimezone(ZoneInfo(end["timeZone"]))
    return {"dateTime": local.isoformat(), "timeZone": end["timeZone"]}


def _rules(lines: list[str], start: Json) -> Iterator[datetime]:
    begin = wall_clock(start)
    rules = rruleset()
    rules.rdate(begin)  # the first occurrence is there even where the rule leaves it out
    for line in lines:
        kind, _, rule = line.partition(":")
        if kind != "RRULE":
            raise not_in_stand_in(f"the recurrence {kind}")
        rules.rrule(cast("rrule", rrulestr(_local_until(rule, start), dtstart=begin)))
    return iter(rules)


def _local_until(rule: str, start: Json) -> str:
    """A rule ends by the wall clock here, as everything is worked out on it; a date means the whole of that day."""

    def localised(found: re.Match[str]) -> str:
        text = found[1].upper()
        moment = datetime.strptime(text.rstrip("Z") if "T" in text else f"{text}T235959", "%Y%m%dT%H%M%S")  # noqa: DTZ007
        if text.endswith("Z") and not is_all_day(start):
            moment = moment.replace(tzinfo=UTC).astimezone(ZoneInfo(start["timeZone"]))
        return f"UNTIL={moment:%Y%m%dT%H%M%S}"

    return _UNTIL.sub(localised, rule)
