"""Days as people say them: tomorrow, `on Friday`, `3 March`, `2026-03-01`, `in 3 days`."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

from butler.orchestrator.embedded.clock import PARTS, Part
from butler.orchestrator.embedded.feasts import feast_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import ORDINAL

WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
SHORT = 3
ISO = re.compile(r"(\d{4})-(\d{2})-(\d{2})", re.ASCII)
DAY = re.compile(r"\d{1,2}", re.ASCII)
YEAR = re.compile(r"\d{4}", re.ASCII)
FIGURES = re.compile(r"(\d{1,2})([/.])(\d{1,2})(?:\2(\d{4}|\d{2})?)?", re.ASCII)
WEEK_FROM = phrases("a week (from|on)")
NEXT_WEEK = phrases("next week [on]")
IN_NEXT_WEEK = phrases("next week", "of next week")
ON = phrases("on [the]")
OF = phrases("of")
RELATIVE = (
    (phrases("today"), 0, None),
    (phrases("tonight"), 0, Part.NIGHT),
    (phrases("this morning"), 0, Part.MORNING),
    (phrases("this afternoon"), 0, Part.AFTERNOON),
    (phrases("this evening"), 0, Part.EVENING),
    (phrases("[the] day after tomorrow"), 2, None),
    (phrases("tomorrow"), 1, None),
)
LEAP_YEARS = 8
"""The longest wait for a 29 February."""


@dataclass(frozen=True, slots=True)
class SaidDay:
    """A day, the part of it where that was said along with it, and the other day that might be meant."""

    day: date
    part: Part | None = None
    weekday: bool = False
    """Said as the day of a week: once past for today, the one of next week is meant."""
    or_day: date | None = None


def day_at(tail: Tail, today: date) -> tuple[SaidDay, Tail] | None:
    """The day that stands here, and what follows; a day of a year that is past means next year's."""
    for option, days, part in RELATIVE:
        if (after := tail.take(option)) is not None:
            return SaidDay(today + timedelta(days), part), after
    return (
        _next_week(tail, today)
        or _figures(tail, today)
        or _weekday(tail, today)
        or _iso(tail.past(phrases("on")))
        or _dated(tail, today)
        or _feast(tail, today)
    )


def _feast(tail: Tail, today: date) -> tuple[SaidDay, Tail] | None:
    """`on Christmas Eve`."""
    found = feast_at(tail, today)
    return (SaidDay(found[0]), found[1]) if found else None


def _next_week(tail: Tail, today: date) -> tuple[SaidDay, Tail] | None:
    """`next week on Tuesday`, `Tuesday next week`, `a week from Friday`."""
    start = tail.take(NEXT_WEEK)
    if start is not None and start.word() in WEEKDAYS:
        return SaidDay(_of_next_week(start.word(), today)), start.skip()
    named = tail.past(phrases("on"))
    if named.word() in WEEKDAYS and (after := named.skip().take(IN_NEXT_WEEK)) is not None:
        return SaidDay(_of_next_week(named.word(), today)), after
    start = tail.take(WEEK_FROM)
    found = day_at(start, today) if start else None
    return (SaidDay(found[0].day + timedelta(7), found[0].part), found[1]) if found else None


def _of_next_week(name: str, today: date) -> date:
    return today - timedelta(today.weekday()) + timedelta(7 + WEEKDAYS.index(name))


def _figures(tail: Tail, today: date) -> tuple[SaidDay, Tail] | None:
    """`20/3`, `20.3.2026`; where day and month could be each other, both are meant until asked."""
    start = tail.past(phrases("on [the]"))
    match = FIGURES.fullmatch(start.word())
    if match is None or (match[2] == "." and not match[4] and start.at == tail.at and not _ends_full(start)):
        return None
    first, second, said = int(match[1]), int(match[3]), match[4]
    year = int(said) + (2000 if said and len(said) < 4 else 0) if said else None  # noqa: PLR2004 - of a century
    days = [day for month, number in ((second, first), (first, second)) if (day := _soon(year, month, number, today))]
    if not days:
        return None
    other = days[1] if len(days) > 1 and days[1] != days[0] and match[2] == "/" else None
    after = start.skip()
    # `on 31.12. at 9`: the second full stop is the date's, where words follow it.
    full = match[2] == "." and not said and _ends_full(start)
    return SaidDay(days[0], or_day=other), after.skip() if full else after


def _ends_full(start: Tail) -> bool:
    """`31.12.` with words behind it is a date; `31.12` alone may be a number."""
    return start.word(1) == "." and start.word(2)[:1].isalnum()


def _soon(year: int | None, month: int, number: int, today: date) -> date | None:
    if year is not None:
        return _date(year, month, number)
    days = (_date(today.year + n, month, number) for n in range(LEAP_YEARS + 1))
    return next((day for day in days if day and day >= today), None)


def part_at(tail: Tail) -> tuple[Part, Tail] | None:
    """`in the evening`, `at night`; or a bare `evening`, which only makes sense after a day."""
    after = tail.past(phrases("in the", "at"))
    return (PARTS[after.word()], after.skip()) if after.word() in PARTS else None


def _weekday(tail: Tail, today: date) -> tuple[SaidDay, Tail] | None:
    after = tail.past(phrases("on", "[on] (next|this|coming)"))
    word, marked = after.word(), after.at > tail.at
    names = [
        n for n, name in enumerate(WEEKDAYS) if word == name or (marked and len(word) == SHORT and name[:3] == word)
    ]
    if not names:
        return None
    soon = today + timedelta((names[0] - today.weekday()) % 7)
    after = after.skip()
    if tail.until(after).find(phrases("next")):
        soon = soon if soon > today else soon + timedelta(7)
        # In the week that runs now, "next Friday" is this Friday to some and the one after to others.
        same_week = soon.isocalendar()[:2] == today.isocalendar()[:2]
        return SaidDay(soon, or_day=soon + timedelta(7) if same_week else None), after
    return SaidDay(soon, weekday=True), after


def _iso(tail: Tail) -> tuple[SaidDay, Tail] | None:
    match = ISO.fullmatch(tail.word())
    day = _date(int(match[1]), int(match[2]), int(match[3])) if match else None
    return (SaidDay(day), tail.skip()) if day else None


def _dated(tail: Tail, today: date) -> tuple[SaidDay, Tail] | None:
    start = tail.past(ON)
    if (number := _day_number(start.word())) and (month := _month(start.skip().past(OF).word())):
        after = start.skip().past(OF).skip()
    elif (month := _month(start.word())) and (number := _day_number(start.word(1))):
        after = start.skip(2)
    elif (match := ORDINAL.fullmatch(start.word())) and start.at > tail.at:
        return _of_month(int(match[1]), start.skip(), today)
    else:
        return None
    dated = after.skip() if after.word() == "," and YEAR.fullmatch(after.word(1)) else after
    if YEAR.fullmatch(dated.word()):
        day = _date(int(dated.word()), month, number)
        return (SaidDay(day), dated.skip()) if day else None
    days = (_date(today.year + n, month, number) for n in range(LEAP_YEARS + 1))
    day = next((d for d in days if d and d >= today), None)
    return (SaidDay(day), after) if day else None


def _of_month(number: int, after: Tail, today: date) -> tuple[SaidDay, Tail] | None:
    months = (divmod(today.month - 1 + n, 12) for n in range(3))
    days = (_date(today.year + years, month + 1, number) for years, month in months)
    day = next((d for d in days if d and d >= today), None)
    return (SaidDay(day), after) if day else None


def _day_number(word: str) -> int | None:
    match = ORDINAL.fullmatch(word)
    return int(match[1]) if match else int(word) if DAY.fullmatch(word) else None


def _month(word: str) -> int | None:
    word = word.rstrip(".")
    return next((n for n, m in enumerate(MONTHS, 1) if word == m or (len(word) == SHORT and m[:3] == word)), None)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def add_months(day: date, months: int) -> date:
    """The same day some months later, or the last day of that month."""
    years, month = divmod(day.month - 1 + months, 12)
    last = (date(day.year + years + (month == 11), (month + 1) % 12 + 1, 1) - timedelta(1)).day  # noqa: PLR2004 - December
    return date(day.year + years, month + 1, min(day.day, last))
