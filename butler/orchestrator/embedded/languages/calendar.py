"""Days that are named by the calendar and not by English words the planner knows, as dates: `next week`."""

import re
from collections.abc import Callable
from datetime import date, timedelta

from butler.orchestrator.embedded.day import WEEKDAYS, add_months
from butler.orchestrator.embedded.numbers import PLACES

_DAY = "|".join(WEEKDAYS)
_PLACE = "|".join(("last", *PLACES[:4]))
WEEK = 7
DAYS_IN, THEN = ("remind me ", "show "), "; remind me "
"""What requests with days begin with, and a second one behind another."""
TEXT = re.compile(r': |["“„«]')
"""What the owner's own text begins with."""


def dated(words: str, today: date) -> str:
    """A request with such days as dates, where days are asked for at all; what the owner dictated is left alone."""
    start = 0 if words.startswith(DAYS_IN) else words.find(THEN)
    if start < 0:
        return words
    end = next((match.start() for match in TEXT.finditer(words, start)), len(words))
    head = words[start:end]
    for pattern, day in _NAMED:
        head = pattern.sub(lambda match, day=day: f"on {day(match, today).isoformat()}", head)
    return words[:start] + head + words[end:]


def _next_week(_: re.Match[str], today: date) -> date:
    return today + timedelta(WEEK - today.weekday())


def _of_next_week(match: re.Match[str], today: date) -> date:
    return _next_week(match, today) + timedelta(WEEKDAYS.index(match[1].lower()))


def _in_a_week(match: re.Match[str], today: date) -> date:
    return today + timedelta((WEEKDAYS.index(match[1].lower()) - today.weekday()) % WEEK + WEEK)


def _of_month(match: re.Match[str], today: date) -> date:
    """`the first monday of the month`: of the one that runs, or of the next where that is past."""
    month = add_months(today.replace(day=1), 1) if match[3] == "next" else today.replace(day=1)
    day = _weekday_of(month, match[1].lower(), match[2].lower())
    return day if day >= today else _weekday_of(add_months(month, 1), match[1].lower(), match[2].lower())


def _weekday_of(month: date, place: str, name: str) -> date:
    weekday = WEEKDAYS.index(name)
    if place == "last":
        end = add_months(month, 1) - timedelta(1)
        return end - timedelta((end.weekday() - weekday) % WEEK)
    first = month + timedelta((weekday - month.weekday()) % WEEK)
    return first + timedelta(WEEK * PLACES.index(place))


def _first_of_next_month(_: re.Match[str], today: date) -> date:
    return add_months(today.replace(day=1), 1)


def _end_of_month(_: re.Match[str], today: date) -> date:
    return add_months(today.replace(day=1), 1) - timedelta(1)


def _weekend(_: re.Match[str], today: date) -> date:
    return today + timedelta((5 - today.weekday()) % WEEK)


_NAMED: tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], date]], ...] = tuple(
    (re.compile(rf"\b{pattern}\b", re.IGNORECASE), day)
    for pattern, day in (
        (rf"on the ({_PLACE}) ({_DAY}) of (the|this|next) month", _of_month),
        (rf"on ({_DAY}) of next week", _of_next_week),
        (rf"on ({_DAY}) in a week", _in_a_week),
        ("next week", _next_week),
        ("next month", _first_of_next_month),
        ("at the end of the month", _end_of_month),
        ("on the weekend", _weekend),
    )
)
