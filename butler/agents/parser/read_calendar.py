"""Reads a calendar file: describes each event or task in words."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from butler.agents.parser.blocks import Document, Kind, damaged
from butler.agents.parser.calendar_words import say_part, say_standing
from butler.agents.parser.charset import decoded
from butler.contract.calendar_events import standing_of
from butler.contract.calendar_zones import CalendarZones, unfolded, zones_apart
from butler.contract.speech import phrase, say, say_number

if TYPE_CHECKING:
    from icalendar import Component

_MOST = 5_000
_PARTS = {"VEVENT": "Event", "VTODO": "Task", "VJOURNAL": "Entry"}
_SAID = {
    "DTSTART": "Begins",
    "DTEND": "Ends",
    "DUE": "Due",
    "DURATION": "Takes",
    "RRULE": "Repeats",
    "LOCATION": "Place",
    "STATUS": "Status",
    "ORGANIZER": "Organiser",
    "ATTENDEE": "With",
    "URL": "Address",
    "DESCRIPTION": "About it",
}


def read_ics(data: bytes, document: Document) -> None:
    """Add a heading and a text for each event or task. Raises `UnreadableError`."""
    from icalendar import Calendar  # noqa: PLC0415 - only for who reads a calendar

    lines, zones = zones_apart(unfolded(decoded(data, document)))
    try:
        calendars = Calendar.from_ical("\r\n".join([*lines, ""]), multiple=True)
    except (ValueError, KeyError, IndexError, TypeError, AttributeError) as error:
        raise damaged(phrase("it is no calendar that can be understood")) from error
    count = 0
    for calendar in calendars:
        parts = cast("Sequence[Component]", calendar.walk())  # pyright: ignore[reportUnknownMemberType] - untyped
        for part in parts:
            if part.name not in _PARTS:
                continue
            count += 1
            if count > _MOST:
                number = say_number(_MOST)
                document.problem(say("It is very long: only its first {number} entries were read.", number=number))
                return
            document.add(Kind.HEADING, str(part.get("SUMMARY", _PARTS[part.name])), level=1)
            document.add(Kind.TEXT, "\n".join([*_standing(calendar, part), *_lines(part, zones)]))
    if not count:
        document.problem(say("There is no event in it."))


def _standing(calendar: "Component", part: "Component") -> Iterator[str]:
    """Yield the most important facts about an event: whether it takes place, and its part in a series."""
    if part.name != "VEVENT":
        return
    standing = standing_of(_word(calendar.get("METHOD")), _word(part.get("STATUS")))
    first = next(iter(_values(part, "ATTENDEE")), None)
    answer = _word(getattr(first, "params", {}).get("PARTSTAT"))
    if text := say_standing(standing, answer=answer, by=_shown(first, CalendarZones())):
        yield f"{text}."
    one: object = part.get("RECURRENCE-ID")
    following = _word(getattr(one, "params", {}).get("RANGE")) == "THISANDFUTURE"
    if text := say_part(one=one is not None, following=following):
        yield f"{text}."


def _values(part: "Component", name: str) -> "list[object]":
    found: object = part.get(name)
    return cast("list[object]", found) if isinstance(found, list) else [found]


def _word(value: object) -> str:
    return "" if value is None else " ".join(str(value).split()).upper()


def _lines(part: "Component", zones: CalendarZones) -> Iterator[str]:
    for name, label in _SAID.items():
        for value in _values(part, name):
            if text := _shown(value, zones):
                yield f"{label}: {text}"


def _shown(value: object, zones: CalendarZones) -> str:
    """Return a property as text; a time with its zone, or with a remark that the zone is unknown."""
    if value is None:
        return ""
    if getattr(value, "dt", None) is not None:
        moment, unknown = zones.moment(value)
        if unknown:
            return say("{time}, in a time zone that I do not know (“{zone}”)", time=moment, zone=unknown)
        zone = zones.name_of(value)
        sentence = str(moment if moment is not None else getattr(value, "dt", ""))
        return f"{sentence} ({zone})" if zone else sentence
    to_ical = getattr(value, "to_ical", None)
    text = value if isinstance(value, str) else to_ical().decode("utf-8", "replace") if to_ical else str(value)
    return text.removeprefix("mailto:").removeprefix("MAILTO:").strip()
