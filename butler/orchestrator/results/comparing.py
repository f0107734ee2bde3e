"""Compares what a step found, or what a reader took out of a text, with the value that a condition names."""

import re
from datetime import date, datetime
from decimal import Decimal, InvalidOperation
from typing import Any

from butler.agents.reader.port import Reading
from butler.contract.agents import ReadKind

AMOUNT = re.compile(r"(?P<value>\d{1,12}(?:\.\d{1,4})?) ?(?P<currency>(?:[A-Z]{3})?)", re.ASCII)
"""An amount as a plan writes it, such as `840` or `840.50 EUR`."""


def equals(reading: Reading, value: Any) -> bool:
    """Return whether a reading is a value."""
    match reading.kind:
        case ReadKind.YES_NO:
            return reading.yes == value
        case ReadKind.DATE:
            return reading.day is not None and reading.day.isoformat() == str(value)[:10]
        case ReadKind.AMOUNT:
            return _amounts(reading, value) == 0
        case ReadKind.CONTACT:
            return reading.contact_id == value


def order_of_reading(reading: Reading, value: Any) -> int:
    """Return 1 if a reading is more, or later, than a value, -1 if it is less, and 0 otherwise or if nobody can say."""
    match reading.kind:
        case ReadKind.AMOUNT:
            return _amounts(reading, value) or 0
        case ReadKind.DATE if reading.day is not None:
            at = reading.day if reading.clock is None else datetime.combine(reading.day, reading.clock)
            return order(at.isoformat(), value)
        case _:
            return 0


def order(found: Any, value: Any) -> int:
    """Return 1 if a fact is more, or later, than a value, -1 if it is less, and 0 otherwise or if nobody can say.

    Numbers are compared with numbers, times with times; a time and a day are compared by their days.
    """
    numbers = _number(found), _number(value)
    if numbers[0] is not None and numbers[1] is not None:
        return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1])
    times = _time(found), _time(value)
    if times[0] is not None and times[1] is not None:
        return _of_times(times[0], times[1])
    return 0


def _amounts(reading: Reading, value: Any) -> int | None:
    """Return how an amount that was read stands to a value; None for another currency or no amount."""
    match = AMOUNT.fullmatch(str(value))
    if match is None or reading.amount is None or match["currency"] not in {"", reading.amount.currency}:
        return None
    wanted = Decimal(match["value"])
    return (reading.amount.value > wanted) - (reading.amount.value < wanted)


def _number(value: Any) -> Decimal | None:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        number = Decimal(str(value))
    except InvalidOperation:
        return None
    return number if number.is_finite() else None


def _time(value: Any) -> date | None:
    """Return a moment, or a day if no hour is given."""
    if not isinstance(value, str):
        return None
    try:
        return datetime.fromisoformat(value) if len(value) > len("2026-03-01") else date.fromisoformat(value)
    except ValueError:
        return None


def _of_times(found: date, value: date) -> int:
    if not isinstance(found, datetime) or not isinstance(value, datetime):
        one, other = (at.date() if isinstance(at, datetime) else at for at in (found, value))
        return (one > other) - (one < other)
    if (found.tzinfo is None) != (value.tzinfo is None):
        # A time without an offset is the owner's local one, and so is that of the other.
        found, value = found.replace(tzinfo=None), value.replace(tzinfo=None)
    return (found > value) - (found < value)
