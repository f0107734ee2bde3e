"""Days that are over, as people say them of mails: `since Monday`, `from last week`, `yesterday`, `this month`."""

import re
from datetime import date, timedelta

from butler.orchestrator.embedded.day import MONTHS, SHORT, WEEKDAYS, add_months, day_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.numbers import count

SINCE = phrases("[received|sent|that came] (since|after)", "from (since|after)", "starting")
BEFORE = phrases("[received|sent|that came] (before|until|older than)")
IN = phrases("[received|sent|that came|that arrived] (from|in|on|of|during|within) [the]")
LAST_N = phrases("[in|within|from|over] [the] (last|past)")
UNITS = {"day": 1, "days": 1, "week": 7, "weeks": 7}
A_LOT = 1_000
SPANS = ("week", "month", "year")
YEAR = re.compile(r"20\d\d", re.ASCII)

Span = tuple[date | None, date | None]
"""The first day, and the first day after it."""


def span_at(tail: Tail, today: date) -> tuple[Span, Tail] | None:
    """The time of arrival that stands here, and what follows."""
    if (start := tail.take(SINCE)) is not None and (found := _span(start, today)) is not None:
        return (found[0][0], None), found[1]
    if (start := tail.take(BEFORE)) is not None and (found := _span(start, today)) is not None:
        return (None, found[0][0]), found[1]
    start = tail.take(LAST_N)
    days = count(start.word()) if start else None
    if start is not None and days and days < A_LOT and start.word(1) in UNITS:
        return (today - timedelta(days * UNITS[start.word(1)]), None), start.skip(2)
    return _span(tail.past(IN), today)


def _span(tail: Tail, today: date) -> tuple[Span, Tail] | None:
    word, following = tail.word(), tail.word(1)
    if word in {"today", "yesterday"}:
        return ((today, None) if word == "today" else (today - timedelta(1), today)), tail.skip()
    if word in {"this", "last"} and following in SPANS:
        return _calendar(word, following, today), tail.skip(2)
    start = tail.skip() if word == "last" else tail
    if start.word() in WEEKDAYS:
        day = today - timedelta((today.weekday() - WEEKDAYS.index(start.word())) % 7 or 7 * (word == "last"))
        return (day, day + timedelta(1)), start.skip()
    if (month := _month(start.word())) is not None and not start.word(1)[:1].isdigit():
        return _of_month(month, start.skip(), today)
    return _dated(tail, today) if start.word()[:1].isdigit() or month is not None else None


def _dated(tail: Tail, today: date) -> tuple[Span, Tail] | None:
    """`3 March`, the one that is over; of a year that was said, that one."""
    found = day_at(tail, today)
    if found is None or found[0].or_day is not None:
        return None
    day = found[0].day if found[0].day <= today else add_months(found[0].day, -12)
    return (day, day + timedelta(1)), found[1]


def _calendar(which: str, unit: str, today: date) -> Span:
    starts = {
        "week": today - timedelta(today.weekday()),
        "month": today.replace(day=1),
        "year": today.replace(month=1, day=1),
    }
    start = starts[unit]
    if which == "this":
        return start, None
    before = {"week": start - timedelta(7), "month": add_months(start, -1), "year": start.replace(year=start.year - 1)}
    return before[unit], start


def _of_month(month: int, after: Tail, today: date) -> tuple[Span, Tail]:
    year = today.year if month <= today.month else today.year - 1
    if YEAR.fullmatch(after.word()):
        year, after = int(after.word()), after.skip()
    first = date(year, month, 1)
    return (first, add_months(first, 1)), after


def _month(word: str) -> int | None:
    return next((n for n, m in enumerate(MONTHS, 1) if word == m or (len(word) == SHORT and m[:SHORT] == word)), None)
