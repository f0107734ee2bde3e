"""Finds which dates of a repeated act move on with the days, and which stay."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking

BY_AGE = phrase("For what is done again and again, say how old they are, such as older than a week.")
LATER = (timedelta(days=1), timedelta(days=8), timedelta(days=40))
SLACK = 3
"""The days by which months differ in length."""


def fixed_of(args: Mapping[str, Any], later: Callable[[timedelta], Mapping[str, Any]]) -> list[str]:
    """Return the arguments whose dates stay the same on any day; `later` reads the same words that much later.

    Raise `Asking` if a date neither moves with the days nor stays.
    """
    dates = {name: day for name, value in args.items() if (day := _date(value)) is not None}
    read = [later(by) for by in LATER] if dates else []
    moves = {name: [_moved(day, said.get(name)) for said in read] for name, day in dates.items()}
    span = len(dates) > 1
    for days in moves.values():
        exactly = days == [by.days for by in LATER]
        nearly = all(abs(moved - by.days) <= SLACK for moved, by in zip(days, LATER, strict=True)) and days[-1] > 0
        if any(days) and not (exactly or (nearly and not span)):
            raise Asking(say(BY_AGE))
    return [name for name, days in moves.items() if not any(days)]


def _moved(day: date, value: Any) -> int:
    """Return by how many days a date moved on."""
    moved = _date(value)
    return (moved - day).days if moved is not None else 0


def _date(value: Any) -> date | None:
    try:
        return date.fromisoformat(value[:10]) if isinstance(value, str) else None
    except ValueError:
        return None
