"""What the tools show of an event: its times are the person's own, and its ids those that the tools take."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from modules.calendar.calls import event_id_of
from modules.calendar.records import COLOURS, Event, Time
from modules.calendar.times import DAY


def when(time: Time, zone: ZoneInfo) -> date:
    """A day, or a moment in the person's zone."""
    return date.fromisoformat(time.day) if time.day else datetime.fromisoformat(time.at).astimezone(zone)


def span(event: Event, zone: ZoneInfo) -> tuple[date, date]:
    """When it begins and ends; of whole days, the end is the day after the last."""
    return when(event.start, zone), when(event.end, zone)


def begins_at(event: Event, zone: ZoneInfo) -> datetime:
    """The moment it begins, a day's being its midnight."""
    start = when(event.start, zone)
    return start if isinstance(start, datetime) else datetime.combine(start, datetime.min.time(), zone)


def row(event: Event, names: Mapping[str, str], zone: ZoneInfo) -> dict[str, Any]:
    """An event in a list; `names` are the calendars' by what they are asked for with."""
    start, end = span(event, zone)
    return {
        "event_id": event_id_of(event),
        "title": event.title,
        "start": _local(start),
        "end": _local(end if isinstance(end, datetime) else max(start, end - DAY)),
        "all_day": event.all_day,
        "calendar": names.get(event.calendar, event.calendar),
        "location": event.location,
        "people": people(event),
        "series": bool(event.series or event.recurrence),
        "url": event.url,
    } | ({"response": event.me.response} if event.me is not None and not event.mine else {})


def people(event: Event) -> list[str]:
    """Who is there besides the person: the one who invites, and the guests."""
    named = [one.name or one.address for one in event.others]
    host = event.organiser_name or event.organiser
    invites = not event.mine and host and event.organiser not in {one.address for one in event.others}
    return [host, *named] if invites else named


def whole(event: Event, names: Mapping[str, str], zone: ZoneInfo) -> dict[str, Any]:
    """All of one event."""
    guests = [{"address": one.address, "name": one.name, "response": one.response} for one in event.guests]
    reminders = None if event.own_reminders is None else [one.minutes for one in event.own_reminders]
    return row(event, names, zone) | {
        "description": event.description,
        "organiser": event.organiser,
        "mine": event.mine,
        "guests": guests,
        "reminders": reminders,
        "repeats": event.recurrence,
        "free": event.free,
        "colour": next((name for name, number in COLOURS.items() if number == event.colour), event.colour),
    }


def _local(at: date) -> str:
    """A day, or a wall time."""
    return at.replace(tzinfo=None).isoformat(timespec="minutes") if isinstance(at, datetime) else at.isoformat()
