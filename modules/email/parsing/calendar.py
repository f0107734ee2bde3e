"""Reads the event of a calendar part (RFC 5545, 5546); for the child process that parses.

icalendar does the reading, except for time zones, which are in `butler.contract.calendar_zones`.
"""

import re
import warnings
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from butler.contract.calendar_zones import CalendarZones, unfolded, zones_apart
from butler.mime.text import clean
from modules.email.parsing.parsed import Address, Event

if TYPE_CHECKING:
    from icalendar import Calendar, Component

LARGEST = 256 * 1024  # bytes
MOST_ATTENDEES = 300
_MOST_LINES = 10_000
_LONGEST = 1_000  # characters of one text
_LONGEST_UID = 500
_LONGEST_ADDRESS = 320
_LARGEST_SEQUENCE = 2**31 - 1

_ADDRESS = re.compile(r"[^\s<>@,;:\"()\\]+@[^\s<>@,;:\"()\\]+")
_REPLY = "REPLY"


def event_of(data: bytes, method: str = "") -> Event | None:
    """Return a calendar's event, for a series its master if present; None if it cannot be read. Never raises.

    `method` is the mail's method for its calendar part (RFC 6047). If the calendar states another, the meaning is
    unclear, and the event gets a method that does not exist.
    """
    if len(data) > LARGEST:
        return None
    lines = unfolded(_decoded(data))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _event(*_calendar(lines), method.upper()) if len(lines) <= _MOST_LINES else None
    except Exception:  # noqa: BLE001 - the boundary to a hostile format; the caller reports that there is no event
        return None


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _calendar(lines: Sequence[str]) -> "tuple[Calendar, CalendarZones]":
    from icalendar import Calendar  # noqa: PLC0415 - most mails have no calendar

    rest, zones = zones_apart(_first_calendar(lines))
    return Calendar.from_ical("\r\n".join([*rest, ""])), zones


def _first_calendar(lines: Sequence[str]) -> Sequence[str]:
    marks = [line.strip().upper() for line in lines]
    begins = marks.index("BEGIN:VCALENDAR")
    ends = marks.index("END:VCALENDAR", begins) + 1 if "END:VCALENDAR" in marks[begins:] else len(lines)
    return lines[begins:ends]


def _event(calendar: "Calendar", zones: CalendarZones, method: str) -> Event | None:
    events = calendar.events
    if not events:
        return None
    event = next((one for one in events if "RECURRENCE-ID" not in one), events[0])
    starts, unknown = zones.moment(_first(event, "DTSTART"))
    ends, unknown_end = _end(event, starts, zones)
    one, unknown_one = zones.moment(_first(event, "RECURRENCE-ID"))
    text = _text(calendar, "METHOD").upper()
    return Event(
        method=text if method in {"", text} else f"{text}/{method}",
        status=_text(event, "STATUS").upper(),
        uid=_uid(event),
        sequence=_sequence(event),
        recurrence_id=_written(one),
        following=_parameter(event, "RECURRENCE-ID", "RANGE") == "THISANDFUTURE",
        summary=_text(event, "SUMMARY"),
        location=_text(event, "LOCATION"),
        starts=_written(starts),
        ends=_written(ends),
        unknown_zone=clean(" ".join((unknown or unknown_end or unknown_one).split()))[:_LONGEST],
        rule=_rule(event),
        organizer=next(iter(_people(event, "ORGANIZER")), None),
        attendees=tuple(_people(event, "ATTENDEE")[:MOST_ATTENDEES]),
        answer=_parameter(event, "ATTENDEE", "PARTSTAT") if text == _REPLY else "",
    )


def _values(component: "Component", name: str) -> Sequence[Any]:
    """Return a property's values; broken ones are left out."""
    from icalendar.prop import vBroken  # noqa: PLC0415

    value: Any = component.get(name)
    values = cast("Sequence[Any]", value) if isinstance(value, list) else (value,)
    return [one for one in values if one is not None and not isinstance(one, vBroken)]


def _text(component: "Component", name: str) -> str:
    value = next(iter(_values(component, name)), "")
    return clean(" ".join(str(value).split()))[:_LONGEST]


def _uid(event: "Component") -> str:
    """Return an id unchanged or not at all, since the other side recognises the event by it."""
    uid = str(next(iter(_values(event, "UID")), ""))
    return uid if len(uid) <= _LONGEST_UID and uid.isprintable() else ""


def _sequence(event: "Component") -> int:
    written = _text(event, "SEQUENCE")
    return min(int(written), _LARGEST_SEQUENCE) if written.isascii() and written.isdigit() else 0


def _first(event: "Component", name: str) -> object:
    return next(iter(_values(event, name)), None)


def _parameter(event: "Component", name: str, parameter: str) -> str:
    """Return a parameter of the property's first value, in upper case."""
    value = getattr(_first(event, name), "params", {}).get(parameter, "")
    return clean(" ".join(str(value).split())).upper()[:_LONGEST]


def _end(event: "Component", starts: date | None, zones: CalendarZones) -> tuple[date | None, str]:
    """Return when it ends; for whole days the day after the last, as in the standard.

    Also return the name of the time zone if that is unknown.
    """
    ends, unknown = zones.moment(_first(event, "DTEND"))
    if ends is not None or starts is None:
        return ends, unknown
    length = getattr(_first(event, "DURATION"), "dt", None)
    if isinstance(length, timedelta) and length >= timedelta(0):
        return starts + length, ""
    return (None if isinstance(starts, datetime) else starts + timedelta(days=1)), ""


def _written(moment: date | None) -> str:
    return "" if moment is None else moment.isoformat()


def _rule(event: "Component") -> str:
    value = next(iter(_values(event, "RRULE")), None)
    return "" if value is None else clean(value.to_ical().decode("utf-8", "replace"))[:_LONGEST]


def _people(event: "Component", name: str) -> list[Address]:
    people: list[Address] = []
    for value in _values(event, name):
        address = str(value).strip().lower().removeprefix("mailto:").strip()
        if len(address) <= _LONGEST_ADDRESS and _ADDRESS.fullmatch(address) and clean(address) == address:
            called = getattr(value, "params", {}).get("CN", "")
            people.append(Address(address, clean(" ".join(str(called).split()))[:_LONGEST]))
    return people
