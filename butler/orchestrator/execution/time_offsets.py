"""Moves a time that an earlier step found as a plan says: to another day or hour, or by an amount."""

from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from typing import Any

from butler.contract.reasons import in_own_words
from butler.contract.speech import phrase
from butler.orchestrator.results.outcomes import StepRefusedError

MOVES = frozenset({"on", "at", "days", "minutes"})
"""The keys that may stand beside a fact that is a time."""


def moved_moment(found: Any, by: Mapping[str, Any]) -> str:
    """Return the time as ISO 8601 without offset, or the day if it has no hour and is given none.

    Raise `StepRefusedError`.

    Args:
        found: An ISO 8601 day or time; its offset is left out, so it stays a wall time.
        by: The new day (`on`) and hour (`at`), and the `days` and `minutes` to move it by.
    """
    try:
        day, clock = _read(str(found))
        day = date.fromisoformat(by["on"]) if "on" in by else day
        clock = time.fromisoformat(by["at"]) if "at" in by else clock
        minutes = int(by.get("minutes", 0))
        day += timedelta(int(by.get("days", 0)))
        if clock is None and not minutes:
            return day.isoformat()
        at = datetime.combine(day, clock or time(0)) + timedelta(minutes=minutes)
    except (ValueError, TypeError, OverflowError):
        raise StepRefusedError(in_own_words(phrase("an earlier step found no time that could be moved"))) from None
    return at.isoformat(timespec="minutes")


def _read(found: str) -> tuple[date, time | None]:
    if len(found) == len("2026-03-09"):
        return date.fromisoformat(found), None
    at = datetime.fromisoformat(found)
    return at.date(), at.time().replace(microsecond=0)
