"""An event as a thing of a bulk run: whether it is meant, whether the action changes it, and what is kept of it."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.bulk import BulkItem
from modules.calendar.bulk_actions import CalendarAction
from modules.calendar.calls import event_id_of
from modules.calendar.records import Event, Reminder, Time
from modules.calendar.recurring import moved_rules
from modules.calendar.times import DAY, length_of, moment_of
from modules.calendar.views import span, when

LONGEST_TITLE = 200
_KINDS = frozenset({"default", "outOfOffice", "focusTime", "fromGmail"})
"""Birthdays of contacts and places of work are no events that somebody plans."""


def is_meant(event: Event, query: Mapping[str, Any]) -> bool:
    """Whether it holds what is said of it and Google does not look for."""
    if event.gone or event.kind not in _KINDS or not (event.start.day or event.start.at):
        return False
    organiser = query.get("organiser", "")
    if organiser and event.mine != (organiser == "me"):
        return False
    if "all_day" in query and event.all_day != query["all_day"]:
        return False
    people = query.get("people", [])
    return not people or any(_is_with(event, one) for one in people)


def is_open(event: Event, action: CalendarAction, params: Mapping[str, Any]) -> bool:
    """Whether the action changes it, and may."""
    match action:
        case CalendarAction.MOVE if "to" in params:
            return event.mine and not event.series
        case CalendarAction.MOVE:
            return event.changeable and not (event.all_day and params["minutes"])
        case CalendarAction.DECLINE:
            return event.me is not None and not event.mine and not event.declined
        case CalendarAction.REMIND:
            return event.own_reminders != reminders_of(params["reminders"])
        case CalendarAction.COLOUR:
            return event.colour != params["colour"]
        case _:
            return True


def item_of(event: Event, action: CalendarAction) -> BulkItem:
    """With what its inverse has to know."""
    data: dict[str, Any] = {
        "calendar": event.calendar,
        "event": event.id,
        "etag": event.etag,
        "title": event.title[:LONGEST_TITLE],
        "start": event.start.model_dump(exclude_defaults=True),
        "end": event.end.model_dump(exclude_defaults=True),
    }
    if event.recurrence:
        data["rules"] = event.recurrence
    if action in {CalendarAction.DELETE, CalendarAction.DECLINE} and event.me is not None and not event.mine:
        me = event.me
        data["me"] = {"address": me.address, "response": me.response, "comment": me.comment}
    if action is CalendarAction.REMIND:
        own = event.own_reminders
        data["reminders"] = None if own is None else [one.model_dump() for one in own]
    if action is CalendarAction.COLOUR:
        data["colour"] = event.colour
    return BulkItem(event_id_of(event), event.title, data)


def reaches_out(event: Event, window: Mapping[str, str], zone: ZoneInfo) -> bool:
    """Whether it is longer than a day and not all of it lies in the time that was said, such as a holiday of two weeks.

    Of a series, it is the times of its first event that are known here, so that this says nothing of it.
    """
    if event.recurrence or not window:
        return False
    start, end = span(event, zone)
    if length_of(start, end) <= DAY:
        return False
    early = "since" in window and moment_of(start, zone) < datetime.fromisoformat(window["since"])
    late = "before" in window and moment_of(end, zone) > datetime.fromisoformat(window["before"])
    return early or late


def count(counted: dict[str, int], event: Event) -> None:
    """Note what a card tells of the events that were listed."""
    counted["told"] += event.mine and bool(event.others)
    counted["others"] += not event.mine
    counted["series"] += bool(event.recurrence)


def counters() -> dict[str, int]:
    """Nothing yet. `left` are events that are meant and cannot be changed, `longer` are those that `reaches_out`."""
    return dict.fromkeys(("told", "others", "series", "left", "longer"), 0)


def is_as(event: Event, data: Mapping[str, Any], times: tuple[Time, Time]) -> bool:
    """Whether it is called as it was, and is at these times."""
    return event.title[:LONGEST_TITLE] == data["title"] and is_same((event.start, event.end), times)


def is_same(times: tuple[Time, Time], others: tuple[Time, Time]) -> bool:
    """Whether both begin and end together."""
    return all(_same(one, other) for one, other in zip(times, others, strict=True))


def times_of(data: Mapping[str, Any]) -> tuple[Time, Time]:
    """When it was, as it was listed."""
    return Time.model_validate(data["start"]), Time.model_validate(data["end"])


def shifted(data: Mapping[str, Any], days: int, minutes: int, zone: ZoneInfo) -> tuple[Time, Time]:
    """When it is after the move: by the clock of its own zone, as long as it was; the same at each try."""
    start, end = times_of(data)
    if start.day:
        moved = [Time(day=(date.fromisoformat(one.day) + timedelta(days)).isoformat()) for one in (start, end)]
        return moved[0], moved[1]
    own = ZoneInfo(start.zone) if start.zone else zone
    begins, ends = (datetime.fromisoformat(one.at) for one in (start, end))
    there = moment_of(begins.astimezone(own).replace(tzinfo=None) + timedelta(days=days, minutes=minutes), own)
    after = (there.astimezone(UTC) + (ends - begins)).astimezone(ZoneInfo(end.zone) if end.zone else own)
    return _time(there, start), _time(after, end)


def rules_after(data: Mapping[str, Any], moved: Time, zone: ZoneInfo) -> list[str] | None:
    """The rules of a series after its move; None where they cannot simply move along."""
    before = Time.model_validate(data["start"])
    own = ZoneInfo(before.zone) if before.zone else zone
    return moved_rules(data["rules"], when(before, own), when(moved, own))


def reminders_of(stored: list[Mapping[str, Any]] | None) -> list[Reminder] | None:
    """As they lie in a row."""
    return None if stored is None else [Reminder.model_validate(one) for one in stored]


def _time(at: datetime, like: Time) -> Time:
    return Time(at=at.isoformat(), zone=like.zone or str(at.tzinfo))


def _same(one: Time, other: Time) -> bool:
    if one.day or other.day:
        return one.day == other.day
    return datetime.fromisoformat(one.at) == datetime.fromisoformat(other.at)


def _is_with(event: Event, wanted: str) -> bool:
    said = wanted.casefold().removeprefix("mail:")
    people = [(event.organiser, event.organiser_name), *((one.address, one.name) for one in event.guests if not one.me)]
    for address, name in people:
        if said in {address, address.rpartition("@")[2]} or set(said.split()) <= set(name.casefold().split()):
            return True
    return False
