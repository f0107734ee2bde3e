"""An event as an item of a bulk run: whether it is selected, whether the action changes it, and the data to keep."""

from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.bulk import BulkItem
from butler.contract.title_words import has_words
from modules.calendar.bulk_actions import CalendarAction
from modules.calendar.calls import event_id_of
from modules.calendar.records import Event, Reminder, Time
from modules.calendar.recurring import moved_rules
from modules.calendar.times import DAY, length_of, moment_of
from modules.calendar.views import span, when

LONGEST_TITLE = 200
_KINDS = frozenset({"default", "outOfOffice", "focusTime", "fromGmail"})
"""Excludes contacts' birthdays and working locations, which nobody plans."""


def matches(event: Event, query: Mapping[str, Any]) -> bool:
    """Return whether the event meets the criteria for which Google has no query."""
    if event.gone or event.kind not in _KINDS or not (event.start.day or event.start.at):
        return False
    organiser = query.get("organiser", "")
    if organiser and event.mine != (organiser == "me"):
        return False
    if "all_day" in query and event.all_day != query["all_day"]:
        return False
    if any(_is_kept(event, one) for one in query.get("keep", [])):
        return False
    people = query.get("people", [])
    return not people or any(_is_with(event, one) for one in people)


def is_open(event: Event, action: CalendarAction, params: Mapping[str, Any]) -> bool:
    """Return whether the action would change the event, and may."""
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
    """Return the item of an event, with what the inverse action needs."""
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
    """Return whether the event is longer than a day and partly outside of the given time, such as a two-week holiday.

    False for a series, of which only the times of the first event are known here.
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
    """Count an event for the card."""
    counted["told"] += event.mine and bool(event.others)
    counted["others"] += not event.mine
    counted["series"] += bool(event.recurrence)


def counters() -> dict[str, int]:
    """Return zero counts. `left` counts selected events that cannot be changed, `longer` those that `reaches_out`."""
    return dict.fromkeys(("told", "others", "series", "left", "longer"), 0)


def is_as(event: Event, data: Mapping[str, Any], times: tuple[Time, Time]) -> bool:
    """Return whether the event has its listed title, and these times."""
    return event.title[:LONGEST_TITLE] == data["title"] and is_same((event.start, event.end), times)


def is_same(times: tuple[Time, Time], others: tuple[Time, Time]) -> bool:
    """Return whether both begin and end at the same times."""
    return all(_same(one, other) for one, other in zip(times, others, strict=True))


def times_of(data: Mapping[str, Any]) -> tuple[Time, Time]:
    """Return the listed times."""
    return Time.model_validate(data["start"]), Time.model_validate(data["end"])


def shifted(data: Mapping[str, Any], days: int, minutes: int, zone: ZoneInfo) -> tuple[Time, Time]:
    """Return the times after the move: by the clock of the event's zone, and of the same length. Deterministic."""
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
    """Return a series' rules after its move; None if they cannot simply be moved."""
    before = Time.model_validate(data["start"])
    own = ZoneInfo(before.zone) if before.zone else zone
    return moved_rules(data["rules"], when(before, own), when(moved, own))


def reminders_of(stored: list[Mapping[str, Any]] | None) -> list[Reminder] | None:
    """Parse stored reminders."""
    return None if stored is None else [Reminder.model_validate(one) for one in stored]


def _time(at: datetime, like: Time) -> Time:
    return Time(at=at.isoformat(), zone=like.zone or str(at.tzinfo))


def _same(one: Time, other: Time) -> bool:
    if one.day or other.day:
        return one.day == other.day
    return datetime.fromisoformat(one.at) == datetime.fromisoformat(other.at)


def _is_kept(event: Event, said: str) -> bool:
    """Return whether an event is left out: its title has all these words, or it is with them."""
    return has_words(said, event.title) or _is_with(event, said)


def _is_with(event: Event, wanted: str) -> bool:
    text = wanted.casefold().removeprefix("mail:")
    people = [(event.organiser, event.organiser_name), *((one.address, one.name) for one in event.guests if not one.me)]
    for address, name in people:
        if text in {address, address.rpartition("@")[2]} or set(text.split()) <= set(name.casefold().split()):
            return True
    return False
