"""Reads the dates that programs write above a quoted mail in many languages, if they are unambiguous."""

import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from email.utils import parsedate_to_datetime
from typing import Final

from butler.contract.tables import table
from modules.email.parsing.lines import folded


def _names() -> dict[str, int | None]:
    months: Sequence[Sequence[str]] = table("modules.email.parsing", "phrases")["months"]
    found: dict[str, int | None] = {}
    for number, names in enumerate(months, 1):
        for name in [*names, *(f"{name}ta" for name in names if name.endswith("kuu"))]:
            for length in range(3, len(name) + 1):
                word = folded(name)[:length]
                found[word] = number if found.get(word, number) == number else None
    return found


_MONTH_OF: Final = _names()
"""Numbers of months by their names and abbreviations; None if languages differ, as for listopad."""
_WEEKDAYS: Final = frozenset({"mar", "mart", "sat", "sun", "mai"})
"""Abbreviations of months that are days of the week in other languages, such as mar. for mardi."""

_RFC_5322: Final = re.compile(r"(?:[A-Z][a-z]{2}, )?\d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? [+-]\d{4}\b")
_TIME: Final = re.compile(
    r"(?<!\d)(\d{1,2})(?:[:.]|h| h )(\d{2})(?:[:.](\d{2}))?(?!\d)(?!\.\d)"
    r"\s?(AM|PM|am|pm|a\.m\.|p\.m\.|a\. m\.|p\. m\.)?"
)
_EAST_ASIAN: Final = re.compile(r"(\d{4})\s?[年년]\s?(\d{1,2})\s?[月월]\s?(\d{1,2})\s?[日일]")
_YEAR_FIRST: Final = re.compile(r"(?<!\d)(\d{4})([-/.])(\d{1,2})\2(\d{1,2})(?!\d)")
_DAY_FIRST: Final = re.compile(r"(?<!\d)(\d{1,2})(\. ?|/|-)(\d{1,2})(?:\. ?|/|-)(\d{4})(?!\d)")
_NUMBER: Final = re.compile(r"(?<![\d:])\d{1,2}(?:st|nd|rd|th)?(?![\w:])")
_YEAR: Final = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_WORD: Final = re.compile(r"[^\W\d_]{3,}")
_OFFSET: Final = re.compile(r"\s*\(?(?:GMT|UTC|UT)?\s?([-+−])(\d{1,2})(?::?(\d{2}))?\)?")
_ZONE: Final = re.compile(r"\s*\(?([A-ZČ]{2,4}|Z)\b")
_ZONES: Final = {
    "Z": 0, "UT": 0, "UTC": 0, "GMT": 0, "WET": 0, "WEST": 1, "CET": 1, "MEZ": 1, "SEČ": 1, "CEST": 2, "MESZ": 2,
    "SELČ": 2, "EET": 2, "EEST": 3, "MSK": 3, "JST": 9, "KST": 9,
    "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
}  # fmt: skip
"""Hours ahead of UTC. CST, IST and BST are left out: each is the time of several places."""
_LONGEST: Final = 120
_NOON: Final = 12
_FIRST_YEAR, _LAST_YEAR = 1980, 2100


def instant(text: str) -> str:
    """Return the moment that a date names, as ISO 8601 in UTC; empty if it is ambiguous, such as without a zone."""
    text = text[:_LONGEST]
    try:
        if _RFC_5322.search(text):
            moment = parsedate_to_datetime(text)
        elif (time := _time_in(text)) is not None and (zone := _zone(text, time.end())) is not None:
            offset, end = zone
            day = _day(f"{text[: time.start()]} {text[end:]}")
            if day is None:
                return ""
            moment = datetime(*day, *_clock(time), tzinfo=timezone(offset))
        else:
            return ""
        if moment.tzinfo is None:  # "-0000" means an unknown zone.
            return ""
        moment = moment.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        return ""
    return moment.isoformat() if _FIRST_YEAR <= moment.year <= _LAST_YEAR else ""


def day_of(text: str, *, day_first: bool) -> str:
    """Return the first day that a text names, as an ISO date; empty if it is ambiguous.

    `day_first` reads 3/4/2026 as a day in April, as nearly everywhere; otherwise such a date is ignored.
    """
    try:
        day = _day(text[:_LONGEST], day_first=day_first)
        moment = None if day is None else datetime(*day, tzinfo=UTC)
    except ValueError:
        return ""
    return moment.date().isoformat() if moment and _FIRST_YEAR <= moment.year <= _LAST_YEAR else ""


def find_time(text: str) -> tuple[int, int] | None:
    """Return the position of the first time of day in a text."""
    time = _TIME.search(text[:_LONGEST])
    return None if time is None else time.span()


def _time_in(text: str) -> re.Match[str] | None:
    times = list(_TIME.finditer(text))
    return next((time for time in times if ":" in time[0]), times[0] if times else None)


def _clock(time: re.Match[str]) -> tuple[int, int, int]:
    hour, half = int(time[1]), (time[4] or "")[:1].lower()
    if half:
        if not 1 <= hour <= _NOON:
            raise ValueError
        hour = hour % _NOON + (_NOON if half == "p" else 0)
    return hour, int(time[2]), int(time[3] or 0)


def _zone(text: str, start: int) -> tuple[timedelta, int] | None:
    """Return the offset from UTC of the zone at this place, and the zone's end."""
    if numeric := _OFFSET.match(text, start):
        offset = timedelta(hours=int(numeric[2]), minutes=int(numeric[3] or 0))
        return (offset if numeric[1] == "+" else -offset), numeric.end()
    named = _ZONE.match(text, start)
    hours = None if named is None else _ZONES.get(named[1])
    return None if named is None or hours is None else (timedelta(hours=hours), named.end())


def _day(text: str, *, day_first: bool = False) -> tuple[int, int, int] | None:
    if found := _EAST_ASIAN.search(text):
        return int(found[1]), int(found[2]), int(found[3])
    if found := _YEAR_FIRST.search(text):
        return int(found[1]), int(found[3]), int(found[4])
    if found := _DAY_FIRST.search(text):
        first, second = int(found[1]), int(found[3])
        if found[2] == "/" and first <= _NOON < second:
            return int(found[4]), first, second
        # With dots the day is first; with slashes only if no month has that number.
        return (int(found[4]), second, first) if day_first or found[2][0] == "." or first > _NOON else None
    return _named_day(text)


def _named_day(text: str) -> tuple[int, int, int] | None:
    year = _YEAR.search(text)
    words = [folded(word) for word in _WORD.findall(text)]
    months = [(word, month) for word in words if (month := _MONTH_OF.get(word)) is not None]
    if len(months) > 1 and months[0][0] in _WEEKDAYS:
        months = months[1:]
    if year is None or len({month for _, month in months}) != 1:
        return None
    numbers = _NUMBER.findall(f"{text[: year.start()]} {text[year.end() :]}")
    return (int(year[0]), months[0][1], int(numbers[0].rstrip("stndrh"))) if len(numbers) == 1 else None
