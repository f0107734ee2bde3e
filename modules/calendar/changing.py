"""Computes a changed event: its new times, the fields to write, and whether it is changed already."""

from datetime import date, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.speech import say
from modules.calendar import event_fields
from modules.calendar.args import ChangeEventArgs, EventNow
from modules.calendar.records import Event, NewGuest, Time, fields_of
from modules.calendar.recurring import moved_rules
from modules.calendar.times import DAY, check_kinds, in_zone_of, is_day, later, length_of, moment_of


def read(text: str, zone: ZoneInfo) -> date:
    """Parse a day, or a moment in this zone."""
    return datetime.fromisoformat(text).astimezone(zone) if "T" in text else date.fromisoformat(text)


def new_span(args: ChangeEventArgs, was: EventNow, zone: ZoneInfo) -> tuple[date, date] | None:
    """Return the new start and end; None if they stay. Raise `ValueError`.

    A series' wall time and day move by as much as those of the named event.
    """
    if args.start is None and args.end is None and args.minutes is None:
        return None
    kept = ZoneInfo(was.zone)
    start, end = read(was.start, kept), read(was.end, kept)
    if args.start is not None and is_day(args.start) != is_day(start):
        end = event_fields.ends(args.start, args.end, args.minutes, zone)
        if was.rules:
            raise ValueError(
                say("a series of whole days stays one of whole days, and one at a time of the day stays so, too")
            )
        return event_fields.begins(args.start, zone), end
    begins = _begins(args, was, start, zone)
    if moved_rules(was.rules, start, in_zone_of(begins, kept)) is None:
        raise ValueError(say("this series recurs on days that cannot simply be moved; change it in Google Calendar"))
    return begins, _ends(args, start, end, begins, zone)


def changed_fields(args: ChangeEventArgs, was: EventNow, event: Event, zone: ZoneInfo) -> dict[str, Any]:
    """Return the fields to write: only those that were named. Raise `ValueError`."""
    data: dict[str, Any] = {
        name: value
        for name, value in (("title", args.title), ("location", args.location), ("description", args.description))
        if value is not None
    }
    if moved := new_span(args, was, zone):
        own = zone if is_day(moved[0]) or not was.rules else ZoneInfo(was.zone)
        data["start"], data["end"] = (event_fields.time_of(at, own) for at in moved)
        kept = ZoneInfo(was.zone)
        rules = moved_rules(was.rules, read(was.start, kept), in_zone_of(moved[0], kept)) or []
        if tuple(rules) != was.rules:
            data["recurrence"] = rules
    if args.add_guests or args.remove_guests:
        if event.guests_left_out:
            raise ValueError(say("Google does not show all guests of this event, so none can be added or left out"))
        data["guests"] = _guests(args, event)
    return fields_of(**data)


def holds(args: ChangeEventArgs, was: EventNow, event: Event, zone: ZoneInfo) -> bool:
    """Return whether the event has the wanted state. Raise `ValueError`."""
    moved = new_span(args, was, zone)
    times = moved is None or (_same(event.start, moved[0]) and _same(event.end, moved[1]))
    texts = all(
        wanted is None or wanted == found
        for wanted, found in (
            (args.title, event.title),
            (args.location, event.location),
            (args.description, event.description),
        )
    )
    there = {one.address for one in event.guests}
    added = {one.address.removeprefix("mail:") for one in args.add_guests}
    removed = {one.address.removeprefix("mail:") for one in args.remove_guests}
    return not event.gone and times and texts and added <= there and not removed & there


def _begins(args: ChangeEventArgs, was: EventNow, start: date, zone: ZoneInfo) -> date:
    if args.start is None:
        return start
    if not was.rules or not was.named_start or was.named_start == was.start:
        return event_fields.begins(args.start, zone)
    named = read(was.named_start, zone)
    if isinstance(args.start, datetime) and isinstance(start, datetime) and isinstance(named, datetime):
        shift = args.start - named.replace(tzinfo=None)
        # By the clock of the series' zone, across changes to summer time.
        return moment_of(start.replace(tzinfo=None) + shift, ZoneInfo(was.zone))
    return start + timedelta(days=args.start.toordinal() - named.toordinal())


def _ends(args: ChangeEventArgs, start: date, end: date, begins: date, zone: ZoneInfo) -> date:
    if args.end is not None:
        check_kinds(begins, args.end)
        found = event_fields.ends(begins, args.end, None, zone) if is_day(begins) else moment_of(args.end, zone)
        if not _later(begins, found):
            raise ValueError(say("it would end before it begins"))
        return found
    if args.minutes is not None:
        if not isinstance(begins, datetime):
            raise ValueError(say("an event of whole days has a last day and no length in minutes"))
        return later(begins, timedelta(minutes=args.minutes))
    return later(begins, length_of(start, end))


def _later(begins: date, ends: date) -> bool:
    if isinstance(begins, datetime) and isinstance(ends, datetime):
        return ends.timestamp() > begins.timestamp()
    return ends >= begins + DAY


def _same(time: Time, at: date) -> bool:
    if isinstance(at, datetime):
        return bool(time.at) and datetime.fromisoformat(time.at) == at
    return time.day == at.isoformat()


def _guests(args: ChangeEventArgs, event: Event) -> list[NewGuest]:
    """Return all guests after the change, with the answers that they gave."""
    leaving = {one.address.removeprefix("mail:") for one in args.remove_guests}
    kept = [
        NewGuest(address=one.address, name=one.name, response=one.response, comment=one.comment, optional=one.optional)
        for one in event.guests
        if one.address not in leaving
    ]
    there = {one.address for one in kept}
    return kept + [event_fields.guest(one) for one in args.add_guests if one.address.removeprefix("mail:") not in there]
