"""Builds what tools show of an event: its times are in the owner's zone, and its ids are those that tools take."""

from collections.abc import Mapping
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

from modules.calendar.calls import event_id_of
from modules.calendar.records import COLOURS, Event, Time
from modules.calendar.times import DAY


def when(time: Time, zone: ZoneInfo) -> date:
    """Parse a day, or a moment in the owner's zone."""
    return date.fromisoformat(time.day) if time.day else datetime.fromisoformat(time.at).astimezone(zone)


def span(event: Event, zone: ZoneInfo) -> tuple[date, date]:
    """Return start and end; for whole days, the end is the day after the last."""
    return when(event.start, zone), when(event.end, zone)


def begins_at(event: Event, zone: ZoneInfo) -> datetime:
    """Return the moment of the start, a day's being its midnight."""
    start = when(event.start, zone)
    return start if isinstance(start, datetime) else datetime.combine(start, datetime.min.time(), zone)


def row(event: Event, names: Mapping[str, str], zone: ZoneInfo) -> dict[str, Any]:
    """Return an event's row in a list; `names` are the calendars' names by the ids that request them."""
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
    """Return the other participants: organiser and guests."""
    named = [one.name or one.address for one in event.others]
    host = event.organiser_name or event.organiser
    invites = not event.mine and host and event.organiser not in {one.address for one in event.others}
    return [host, *named] if invites else named


def whole(event: Event, names: Mapping[str, str], zone: ZoneInfo) -> dict[str, Any]:
    """Return all of one event."""
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
    """Return a day, or a wall time."""
    return at.replace(tzinfo=None).isoformat(timespec="minutes") if isinstance(at, datetime) else at.isoformat()
