"""Builds reminders for an answer: `remind me when Anna answers, or on Friday at the latest, to book the table`."""

from datetime import datetime, timedelta
from typing import Any

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.people import Person
from butler.orchestrator.embedded.reminding import OF_WHAT
from butler.orchestrator.embedded.when import at_time
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.understanding.answer_words import ANSWERS, SILENT, WHOSE
from butler.orchestrator.understanding.people.who import known
from butler.orchestrator.understanding.reminders.reminder_words import whole
from butler.orchestrator.understanding.reminders.times import said_moment
from butler.orchestrator.understanding.said import CLOCKS, Said
from butler.orchestrator.understanding.times.loose import loose_time

WRITES = whole("writes")
LATEST = timedelta(weeks=1)
"""The default time to wait."""


def on_answer(said: Said, text: str) -> Planned | None:
    """Return a reminder that comes with an answer, or at the latest at a time; None for any other request.

    Raise `Asking` if it is unclear whose answer, or what to remind of.
    """
    words = said.words("trigger") or said.words("from")
    waits = ANSWERS.search(said.request.text) or WRITES.search(said.request.text)
    if not words or said.has("every") or not waits or SILENT.search(said.request.text):
        return None
    found = _person(words, said)
    if found is None:
        raise Asking(say(WHOSE))
    if not text:
        raise Asking(say(OF_WHAT))
    latest = _by_day(said) or (said_moment(said, text) if said.has("time", "duration") else _in_a_week(said))
    return calls.plan(calls.remind(text, answer_from=found.name, **latest))


def _by_day(said: Said) -> dict[str, Any] | None:
    """Return the arguments for a day `at the latest`, which was read as a deadline."""
    found = loose_time(said) if said.has("time") else None
    if found is None or found.bound != "before" or found.day is None or found.clock is not None:
        return None
    return {**at_time("at", datetime.combine(found.day, CLOCKS[0])), "assumed": True}


def _in_a_week(said: Said) -> dict[str, Any]:
    day = said.scene.now().date() + LATEST
    return {**at_time("at", datetime.combine(day, CLOCKS[0])), "latest_assumed": True}


def _person(words: str, said: Said) -> Person | None:
    """Return the contact at the beginning of the words: `Anna`, `Anna answers`."""
    parts = words.split()
    found = (known(" ".join(parts[:end]), said.scene) for end in range(len(parts), 0, -1))
    return next((one for one in found if one is not None and len(one.contacts) == 1), None)
