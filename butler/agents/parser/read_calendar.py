"""Reads a calendar file: each event or task in words."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, cast

from butler.agents.parser.blocks import Document, Kind, damaged
from butler.agents.parser.charset import decoded
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

    try:
        calendars = Calendar.from_ical(decoded(data, document), multiple=True)
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
            document.add(Kind.TEXT, "\n".join(_lines(part)))
    if not count:
        document.problem(say("There is no event in it."))


def _lines(part: "Component") -> Iterator[str]:
    for name, label in _SAID.items():
        found: object = part.get(name)
        for value in cast("list[object]", found) if isinstance(found, list) else [found]:
            if text := _shown(value):
                yield f"{label}: {text}"


def _shown(value: object) -> str:
    """A property as text; a time with its zone."""
    if value is None:
        return ""
    moment = getattr(value, "dt", None)
    if moment is not None:
        zone = getattr(value, "params", {}).get("TZID", "")
        return f"{moment} ({zone})" if zone else str(moment)
    to_ical = getattr(value, "to_ical", None)
    text = value if isinstance(value, str) else to_ical().decode("utf-8", "replace") if to_ical else str(value)
    return text.removeprefix("mailto:").removeprefix("MAILTO:").strip()
