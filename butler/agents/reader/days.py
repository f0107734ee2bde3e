"""Finds days and times as people write them in four languages, in a text written on a known day.

An ambiguous day (`3/4/2026`) is skipped, and so is a relative day if the day of writing is unknown.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, time, timedelta

from butler.agents.reader.spoken_clocks import clock_of_part, spoken_clocks
from butler.agents.reader.stretches import stretches
from butler.agents.tailor.figures import MONTHS

_WEEKDAYS = {
    name: number
    for names in (
        "monday tuesday wednesday thursday friday saturday sunday",
        "montag dienstag mittwoch donnerstag freitag samstag sonntag",
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
        "lunes martes miércoles jueves viernes sábado domingo",
    )
    for number, name in enumerate(names.split())
} | {"sonnabend": 5}
_NEAR = {
    "today tonight heute aujourd'hui aujourd’hui hoy": 0,
    "tomorrow morgen demain mañana": 1,
    "übermorgen": 2,
}
_RELATIVE = {word: days for words, days in _NEAR.items() for word in words.split()}
_MONTH = rf"(?:{'|'.join(sorted(MONTHS, key=len, reverse=True))})"
_ISO = re.compile(r"(?<!\d)(?P<year>\d{4})-(?P<month>\d{2})-(?P<day>\d{2})(?!\d)")
_FIGURES = re.compile(
    r"(?<![\d./])(?P<first>\d{1,2})(?P<mark>[./])(?P<second>\d{1,2})(?:(?P=mark)(?P<year>\d{4}|\d{2})|\.|(?=\s|[,;)]|$))"
    r"(?![\d/])"
)
_DAY_MONTH = re.compile(
    rf"(?<![\w.])(?P<day>\d{{1,2}})(?:st|nd|rd|th|\.|er|º)?\s+(?:de\s+|of\s+)?(?P<month>{_MONTH})\b\.?"
    r"(?:,?\s+(?:de\s+|del\s+)?(?P<year>\d{4}))?(?!\d)",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(
    rf"\b(?P<month>{_MONTH})\.?\s+(?:the\s+)?(?P<day>\d{{1,2}})(?:st|nd|rd|th)?(?:,?\s+(?P<year>\d{{4}}))?(?![\d:.]\d|\d)",
    re.IGNORECASE,
)
_WEEKDAY = re.compile(
    rf"(?<!last )(?<!letzten )(?<!past )\b(?P<word>{'|'.join(_WEEKDAYS)})"
    r"(?:s?\b(?! (?:dernier|pasado)\b)|(?=(?:früh|morgen|vormittag|mittag|nachmittag|spätnachmittag|abend|nacht)s?\b))",
    re.IGNORECASE,
)
_NEXT_WEEK = re.compile(
    r"^,? (?:of )?next week\b|^,? (?:der )?(?:nächster|nächste|kommender|kommende) woche\b|"
    r"^,? (?:de )?la semaine prochaine\b|^,? (?:de )?la (?:próxima semana|semana que viene)\b",
    re.IGNORECASE,
)
_NEXT_WEEK_BEFORE = re.compile(
    r"\b(?:next week(?: on)?|(?:nächste|kommende) woche(?: am)?|la semaine prochaine,?|"
    r"la (?:próxima semana|semana que viene),?(?: el)?),? $",
    re.IGNORECASE,
)
_SPOKEN = re.compile(rf"(?<!heute )(?<!la )\b(?P<word>{'|'.join(map(re.escape, _RELATIVE))})\b")
_NEXT_BUT_ONE = re.compile(r"day after $|après-$|pasado $", re.IGNORECASE)
_CLOCK = re.compile(
    r"(?<![\d.,:])(?P<hour>\d{1,2})(?:[:.h](?P<minute>\d{2}))?\s?(?P<mark>[ap]\.?m\b\.?|uhr\b|h\b|heures?\b|o'clock\b)?"
    r"(?![\d:]|[.,]\d)",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[.!?]\s|\n")
AROUND = 30
"""Characters around a day that are searched for its time."""
_BEHIND = 31
"""Days: a date without a year is at most this long before its text was written, or else in the next year."""
_NOON, _HOURS, _MINUTES = 12, 24, 60


@dataclass(frozen=True, slots=True)
class Day:
    """A day, and its time if one is given."""

    day: date
    clock: time | None = None
    by_weekday: bool = field(default=False, compare=False)
    """Whether the text only names the day of the week: then it may be in a later week."""


@dataclass(frozen=True, slots=True)
class _Found:
    start: int
    end: int
    day: date
    by_weekday: bool = False


def days(text: str, written: date | None) -> Iterator[Day]:
    """Yield every day of a text, in order; only days with a year if the day of writing is unknown."""
    dated = sorted(_dated(text, written), key=lambda one: one.start)
    near = [one for one in _spoken(text, written) if not any(_beside(one, other) for other in dated)]
    for one in sorted([*dated, *near], key=lambda one: one.start):
        yield Day(one.day, _clock_beside(text, one), one.by_weekday)


def days_asked_for(text: str, written: date | None, ask: str) -> Iterator[Day]:
    """Yield every day of a text as `days` does, on the days that the question names with their year.

    To "when does it leave on Saturday 14 March 2026?", "Saturday 09:32" and "09:32" are on that day.
    """
    named = {one.day for one in days(ask, None)}
    found = list(days(text, written))
    for one in found:
        same = (day for day in named if one.by_weekday and day.weekday() == one.day.weekday())
        yield replace(one, day=next(same, one.day))
    clocks = {clock for match in _CLOCK.finditer(text) if (clock := _clock(match))} or set(spoken_clocks(text))
    if not found and len(named) == len(clocks) == 1:
        yield Day(named.pop(), clocks.pop())


def _dated(text: str, written: date | None) -> Iterator[_Found]:
    for found in _ISO.finditer(text):
        yield from _of(found, int(found["month"]), int(found["day"]), found["year"], written)
    for found in _FIGURES.finditer(text):
        first, second = int(found["first"]), int(found["second"])
        if found["mark"] == "." and not found["year"] and not found.group().endswith("."):
            continue
        # With a slash, some write the day first and others the month.
        if found["mark"] == "/" and first <= _NOON and second <= _NOON and first != second:
            continue
        day, month = (second, first) if found["mark"] == "/" and second > _NOON else (first, second)
        yield from _of(found, month, day, found["year"], written)
    taken: list[tuple[int, int]] = []
    for pattern in (_DAY_MONTH, _MONTH_DAY):
        for found in pattern.finditer(text):
            if not any(start < found.end() and found.start() < end for start, end in taken):
                taken.append(found.span())
                yield from _of(found, MONTHS[found["month"].casefold()], int(found["day"]), found["year"], written)


def _of(found: re.Match[str], month: int, day: int, year: str | None, written: date | None) -> Iterator[_Found]:
    if year:
        known = _date(int(year) + (2000 if len(year) < 4 else 0), month, day)  # noqa: PLR2004 - of this century
    else:
        known = _next(month, day, written) if written else None
    if known is not None:
        yield _Found(found.start(), found.end(), known)


def _next(month: int, day: int, written: date) -> date | None:
    earliest = written - timedelta(_BEHIND)
    nearby = (_date(written.year + years, month, day) for years in (-1, 0, 1))
    return next((one for one in nearby if one and one >= earliest), None)


def _spoken(text: str, written: date | None) -> Iterator[_Found]:
    """Resolve a spoken day: `Friday` is the next one after the day of writing, `within 14 days` is counted from it."""
    if written is None:
        return
    yield from (_Found(one.start, one.end, one.day) for one in stretches(text, written))
    for found in _WEEKDAY.finditer(text):
        weekday, next_week = _WEEKDAYS[found["word"].casefold()], _is_next_week(text, found)
        # In the week after that of writing, or the next one after the day of writing.
        ahead = 7 - written.weekday() + weekday if next_week else (weekday - written.weekday()) % 7 or 7
        yield _Found(found.start(), found.end(), written + timedelta(ahead), by_weekday=not next_week)
    # Lower case only, or at a beginning: "am Morgen" is no day.
    for found in _SPOKEN.finditer(text[:1].lower() + text[1:]):
        later = 1 if _NEXT_BUT_ONE.search(text[max(0, found.start() - AROUND) : found.start()]) else 0
        yield _Found(found.start(), found.end(), written + timedelta(_RELATIVE[found["word"]] + later))


def _is_next_week(text: str, found: re.Match[str]) -> bool:
    """Return whether the text says next week beside a weekday."""
    behind, before = text[found.end() : found.end() + AROUND], text[max(0, found.start() - AROUND) : found.start()]
    return bool(_NEXT_WEEK.search(behind) or _NEXT_WEEK_BEFORE.search(before))


def _beside(one: _Found, dated: _Found) -> bool:
    """Return whether a day's name only accompanies its date: `Friday, 3 April`."""
    return -10 <= dated.start - one.end <= 10 or -10 <= one.start - dated.end <= 10  # noqa: PLR2004 - characters


def _clock_beside(text: str, one: _Found) -> time | None:
    after = _SENTENCE.split(text[one.end : one.end + AROUND])[0]
    before = _SENTENCE.split(text[max(0, one.start - AROUND) : one.start])[-1]
    behind = [clock for found in _CLOCK.finditer(after) if (clock := _clock(found))]
    ahead = [clock for found in _CLOCK.finditer(before) if (clock := _clock(found))]
    if behind or ahead:
        return behind[0] if behind else ahead[-1]
    return _spoken_clock_beside(text, one)


def _spoken_clock_beside(text: str, one: _Found) -> time | None:
    """Return the clock in words behind a day, or else before it, in the same sentence."""
    behind = _SENTENCE.split(text[one.end : one.end + 2 * AROUND])[0]
    before = _SENTENCE.split(text[max(0, one.start - AROUND) : one.start])[-1]
    return next(spoken_clocks(behind), None) or [None, *spoken_clocks(before)][-1] or clock_of_part(behind)


def _clock(found: re.Match[str]) -> time | None:
    mark, hour, minute = (found["mark"] or "").casefold(), int(found["hour"]), int(found["minute"] or 0)
    if not (found["minute"] or mark) or hour >= _HOURS or minute >= _MINUTES:
        return None
    if mark.startswith(("a", "p")):
        if not 1 <= hour <= _NOON:
            return None
        hour = hour % _NOON + (_NOON if mark.startswith("p") else 0)
    return time(hour, minute)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
