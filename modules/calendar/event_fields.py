"""Builds a new event from the arguments: its end, its recurrence, and an id that identifies a repeat."""

import hashlib
from datetime import UTC, date, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.speech import phrase, say, say_date
from modules.calendar.args import CreateEventArgs, Repeat
from modules.calendar.args import Guest as Invited
from modules.calendar.records import NewGuest, Reminder, Time, fields_of
from modules.calendar.times import DAY, later, moment_of

USUAL_LENGTH = timedelta(hours=1)
_LAST_DAY_OF_ALL = 28
_REPEATS = {
    Repeat.DAILY: phrase("every day"),
    Repeat.WEEKLY: phrase("every week"),
    Repeat.MONTHLY: phrase("every month"),
    Repeat.YEARLY: phrase("every year"),
}
_REPEATS_UNTIL = {
    Repeat.DAILY: phrase("every day until {day}"),
    Repeat.WEEKLY: phrase("every week until {day}"),
    Repeat.MONTHLY: phrase("every month until {day}"),
    Repeat.YEARLY: phrase("every year until {day}"),
}


def own_id(token: str) -> str:
    """Return the event's id for Google, the same on each attempt: lower-case letters up to v, and digits."""
    return f"butler{hashlib.sha256(token.encode()).hexdigest()[:40]}"


def ends(start: date, end: date | None, minutes: int | None, zone: ZoneInfo) -> date:
    """Return the end: for whole days, the day after the last, as Google has it; otherwise a moment."""
    if not isinstance(start, datetime):
        return (end or start) + DAY
    if end is not None:
        return moment_of(end, zone)
    length = USUAL_LENGTH if minutes is None else timedelta(minutes=minutes)
    return later(moment_of(start, zone), length)


def begins(start: date, zone: ZoneInfo) -> date:
    """Return a day as it is, or the moment of a wall time."""
    return moment_of(start, zone) if isinstance(start, datetime) else start


def time_of(at: date, zone: ZoneInfo) -> Time:
    """Return a time as Google takes it."""
    if isinstance(at, datetime):
        return Time(at=at.astimezone(zone).isoformat(), zone=zone.key)
    return Time(day=at.isoformat())


def fields(args: CreateEventArgs, zone: ZoneInfo) -> dict[str, Any]:
    """Return the fields of a new event."""
    start = begins(args.start, zone)
    data: dict[str, Any] = {
        "title": args.title,
        "start": time_of(start, zone),
        "end": time_of(ends(args.start, args.end, args.minutes, zone), zone),
    }
    data |= {"location": args.location} if args.location else {}
    data |= {"description": args.description} if args.description else {}
    data |= {"guests": [guest(one) for one in args.guests]} if args.guests else {}
    data |= {"recurrence": [rule(args.repeat, args.until, args.start, zone)]} if args.repeat else {}
    if args.remind_minutes is not None:
        data["reminders"] = [Reminder(method="popup", minutes=args.remind_minutes)]
    return fields_of(**data)


def guest(one: Invited) -> NewGuest:
    """Return a guest as Google takes them."""
    return NewGuest(address=one.address.removeprefix("mail:"), name=one.name)


def rule(repeat: Repeat, until: date | None, start: date, zone: ZoneInfo) -> str:
    """Return the RRULE (RFC 5545), which includes the last day."""
    line = f"RRULE:FREQ={repeat.value.upper()}"
    if until is None:
        return line
    if not isinstance(start, datetime):
        return f"{line};UNTIL={until:%Y%m%d}"
    last = moment_of(datetime.combine(until, time(23, 59)), zone).astimezone(UTC)
    return f"{line};UNTIL={last:%Y%m%dT%H%M%SZ}"


def repeat_text(repeat: Repeat, until: date | None, start: date) -> str:
    """Return the recurrence in words; empty for a single event."""
    if repeat is Repeat.NEVER:
        return ""
    text = say(_REPEATS_UNTIL[repeat], day=say_date(until)) if until else say(_REPEATS[repeat])
    monthly = repeat is Repeat.MONTHLY and start.day > _LAST_DAY_OF_ALL
    if monthly or (repeat is Repeat.YEARLY and (start.month, start.day) == (2, 29)):
        return f"{text}. {say('Where there is no such day, it is left out.')}"
    return text
