"""Determines the time of a single reminder: a moment, or a default hour of a day."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.when import at_time
from butler.orchestrator.planning.plan_types import Choice
from butler.orchestrator.understanding.reminders.reminder_words import plain, whole
from butler.orchestrator.understanding.said import CLOCKS, Said
from butler.orchestrator.understanding.times.loose import after, loose_time, minutes_of, time_within
from butler.orchestrator.understanding.times.relative import amount_of
from butler.understanding.times.saying import TimeSaid

WAKE, NOT_NOW = whole("wake"), whole("not_now")
LABELS = (phrase("In 1 hour"), phrase("In 3 hours"), phrase("Tomorrow at 9"))
"""What buttons for near times say."""


def wakes(said: Said) -> bool:
    """Return whether the request is to wake somebody."""
    return WAKE.search(said.request.text) is not None


def soon(said: Said, slot: str) -> list[Choice]:
    """Return buttons for near times."""
    words = plain("soon", said.language)
    return [choice(say(label), said.again(slot, one)) for label, one in zip(LABELS, words, strict=True)]


def when_for(text: str) -> str:
    """Return the question when to remind of something."""
    return say("When shall I remind you of “{what}”?", what=text) if text else say("When shall I remind you?")


def said_moment(said: Said, text: str) -> dict[str, Any]:
    """Return the arguments for the requested moment, marked as assumed if its hour is a guess. Raise `Asking`."""
    slot = "time" if said.has("time") else "duration"
    words = ", ".join(said.request.words(slot))
    if not words or NOT_NOW.fullmatch(words.strip()):
        raise Asking(when_for(text), soon(said, slot))
    if slot == "duration" or time_within(words, said) is None:
        amount = amount_of(words, said)
        if amount is not None:
            return at_time("at", after(amount, said.scene.now()))
    found = loose_time(said, slot)
    assert found is not None
    if _is_day(found) and found.or_day is None and not wakes(said):
        at = _on_day(found, said)
        if at is None:
            raise Asking(when_for(text), soon(said, slot))
        return at_time("at", at) | {"assumed": True}
    lead = lead_minutes(said)
    at = said.settled(in_morning(found, said), slot)
    return at_time("at", at - timedelta(minutes=lead) if lead else at)


def _is_day(found: TimeSaid) -> bool:
    """Return whether a time has a day, but no hour."""
    hour = found.clock or found.moment or found.part or found.same_clock
    return found.day is not None and not hour


def _on_day(found: TimeSaid, said: Said) -> datetime | None:
    """Return the first default hour of a day that is still to come; None if there is none.

    A reminder for something to be done before a day comes on the day before it.
    """
    wall = said.scene.now().replace(tzinfo=None)
    if found.day is None:
        return None
    day = found.day - timedelta(1) if found.bound == "before" and found.day > wall.date() + timedelta(1) else found.day
    return next((at for clock in CLOCKS if (at := datetime.combine(day, clock)) > wall), None)


def in_morning(found: TimeSaid, said: Said) -> TimeSaid:
    """Return the time in the morning if the request is to wake somebody."""
    return replace(found, half_said=True) if found.clock and wakes(said) else found


def lead_minutes(said: Said) -> int | None:
    """Return the lead in minutes; raise `Asking` if it is not understood."""
    words = said.words("lead")
    if not words:
        return None
    found = amount_of(words, said)
    return minutes_of(found) if found is not None else said.minutes("lead")
