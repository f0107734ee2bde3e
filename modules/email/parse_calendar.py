"""Reads the event that a calendar part (RFC 5545, 5546) is about; for the child process that parses.

icalendar does the reading. It keeps what it learns of zones for the next calendar, and lets a zone be a rule that takes
forever to work out; here no calendar hears of another one's zones, and such a zone is not looked at.
"""

import re
import warnings
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from modules.email.parse_text import clean
from modules.email.parsed import Address, Event

if TYPE_CHECKING:
    from icalendar import Calendar, Component

LARGEST = 256 * 1024  # bytes
MOST_ATTENDEES = 300
_MOST_LINES = 10_000
_MOST_ZONE_LINES = 1_000
_LONGEST = 1_000  # characters of one text
_LONGEST_UID = 500
_LONGEST_ADDRESS = 320
_LARGEST_SEQUENCE = 2**31 - 1

_FOLD = re.compile(r"\r?\n[ \t]")
_LINE_END = re.compile(r"\r?\n")
_PLAIN_RULE = re.compile(
    r"RRULE:(FREQ=YEARLY|(INTERVAL|BYMONTH|BYDAY|BYMONTHDAY|UNTIL|COUNT|WKST)=[\w,+-]{1,60}|;)+", re.ASCII
)
"""A rule that a change of the clock can have."""
_ADDRESS = re.compile(r"[^\s<>@,;:\"()\\]+@[^\s<>@,;:\"()\\]+")


def event_of(data: bytes) -> Event | None:
    """The event of a calendar: of a series the master, where it is told. None for what cannot be read. Never raises."""
    if len(data) > LARGEST:
        return None
    lines = _LINE_END.split(_FOLD.sub("", _decoded(data)))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return _event(_calendar(lines)) if len(lines) <= _MOST_LINES else None
    except Exception:  # noqa: BLE001 - the boundary to a hostile format; whoever asks tells that there is no event
        return None


def _decoded(data: bytes) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")


def _calendar(lines: Sequence[str]) -> "Calendar":
    from icalendar import Calendar  # noqa: PLC0415 - most mails have no calendar
    from icalendar.timezone import tzp  # noqa: PLC0415

    tzp.use_zoneinfo()
    return Calendar.from_ical("\r\n".join([*_first_calendar(lines), ""]))


def _first_calendar(lines: Sequence[str]) -> Iterator[str]:
    """Its lines, without the zones that have another rule than a change of the clock can have."""
    inside, zone = False, list[str]()
    for line in lines:
        mark = line.strip().upper()
        inside = inside or mark == "BEGIN:VCALENDAR"
        if zone or mark == "BEGIN:VTIMEZONE":
            zone.append(line)
            if mark == "END:VTIMEZONE":
                yield from zone if len(zone) <= _MOST_ZONE_LINES and all(map(_harmless, zone)) else ()
                zone = []
        elif inside:
            yield line
        if mark == "END:VCALENDAR":
            return


def _harmless(line: str) -> bool:
    rule = line.strip().upper()
    return not rule.startswith(("RRULE", "EXRULE")) or _PLAIN_RULE.fullmatch(rule) is not None


def _event(calendar: "Calendar") -> Event | None:
    events = calendar.events
    if not events:
        return None
    event = next((one for one in events if "RECURRENCE-ID" not in one), events[0])
    starts = _moment(event, "DTSTART")
    return Event(
        method=_text(calendar, "METHOD").upper(),
        uid=_uid(event),
        sequence=_sequence(event),
        recurrence_id=_written(_moment(event, "RECURRENCE-ID")),
        summary=_text(event, "SUMMARY"),
        location=_text(event, "LOCATION"),
        starts=_written(starts),
        ends=_written(_end(event, starts)),
        rule=_rule(event),
        organizer=next(iter(_people(event, "ORGANIZER")), None),
        attendees=tuple(_people(event, "ATTENDEE")[:MOST_ATTENDEES]),
    )


def _values(component: "Component", name: str) -> Sequence[Any]:
    """What stands there; what is broken is left out."""
    from icalendar.prop import vBroken  # noqa: PLC0415

    value: Any = component.get(name)
    values = cast("Sequence[Any]", value) if isinstance(value, list) else (value,)
    return [one for one in values if one is not None and not isinstance(one, vBroken)]


def _text(component: "Component", name: str) -> str:
    value = next(iter(_values(component, name)), "")
    return clean(" ".join(str(value).split()))[:_LONGEST]


def _uid(event: "Component") -> str:
    """By it the event is known at the other end, so it stands as it is or not at all."""
    uid = str(next(iter(_values(event, "UID")), ""))
    return uid if len(uid) <= _LONGEST_UID and uid.isprintable() else ""


def _sequence(event: "Component") -> int:
    written = _text(event, "SEQUENCE")
    return min(int(written), _LARGEST_SEQUENCE) if written.isascii() and written.isdigit() else 0


def _moment(event: "Component", name: str) -> date | None:
    value = getattr(next(iter(_values(event, name)), None), "dt", None)
    return value if isinstance(value, date) else None


def _end(event: "Component", starts: date | None) -> date | None:
    """When it ends; the day after the last one where it takes whole days, as the standard has it."""
    ends = _moment(event, "DTEND")
    if ends is not None or starts is None:
        return ends
    length = getattr(next(iter(_values(event, "DURATION")), None), "dt", None)
    if isinstance(length, timedelta) and length >= timedelta(0):
        return starts + length
    return None if isinstance(starts, datetime) else starts + timedelta(days=1)


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
