"""Determines the hours of new events: whole days or a start, their length, and evening events by their titles."""

import re
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import Any

from butler.orchestrator.embedded.clock import NOON
from butler.orchestrator.understanding.calendar.calendar_words import patterns, whole
from butler.orchestrator.understanding.calendar.reading import FULL_DAY
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.times.loose import minutes_of
from butler.orchestrator.understanding.times.relative import amount_of
from butler.orchestrator.understanding.times.upcoming import EARLY
from butler.understanding.times.saying import TimeSaid

BIRTHDAY, EVENING, WHOLE_DAYS = patterns("birthday"), whole("of_evening"), whole("of_days")


@dataclass(frozen=True, slots=True)
class Hours:
    """The time of an event: whole days, or from an hour on."""

    start: date | datetime
    end: date | datetime | None = None
    minutes: int = 0

    def args(self) -> dict[str, Any]:
        """Return the time as the tool takes it."""
        args: dict[str, Any] = {"start": _written(self.start)}
        if self.end is not None:
            return args | {"end": _written(self.end)}
        return args | ({"minutes": self.minutes} if self.minutes else {})


def _written(at: date | datetime) -> str:
    return at.isoformat(timespec="minutes") if isinstance(at, datetime) else at.isoformat()


def is_whole(said: Said) -> bool:
    """Return whether the request says a whole day, outside of the title."""
    return any(
        FULL_DAY.search(part)
        for part in (said.request.text, *said.request.words("duration"), *said.request.words("time"))
    )


def in_evening(found: TimeSaid, title: str, words: str) -> TimeSaid:
    """Return the time in the evening for events such as `dinner at 8`."""
    clock = found.clock
    if clock is None or not EVENING.search(title) or found.part or EARLY.search(words) or not 6 <= clock.hour < 11:  # noqa: PLR2004
        return found
    if re.search(r"\b0\d[:.h]", words):
        return found
    until = found.until_clock
    later = until.replace(hour=until.hour + NOON) if until is not None and until.hour < NOON else until
    return replace(found, clock=clock.replace(hour=clock.hour + NOON), until_clock=later)


def lasting(said: Said) -> tuple[int, int]:
    """Return the length of the event in whole days, or in minutes."""
    words = said.words("duration")
    if not words or FULL_DAY.search(words):
        return (0, 0)
    found = amount_of(words, said) or amount_of(_with_unit(said), said) or said.length("duration")
    if found is None:
        return (0, 0)
    if found.seconds == 0:
        return found.days + 30 * found.months, 0
    return 0, minutes_of(found)


def _with_unit(said: Said) -> str:
    """Return the length with the next word, which may be its unit: `[half an] hour`."""
    marked = next(one for one in said.request.slots if one.slot == "duration")
    behind = said.request.text[marked.end :].split(maxsplit=1)[:1]
    return " ".join((marked.text, *behind)).rstrip(" .,;!?")
