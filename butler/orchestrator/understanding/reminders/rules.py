"""Reads the recurrence of a request, with separate days and hours, and makes its rule."""

from dataclasses import replace
from datetime import date, time
from typing import Any

from butler.contract.schedules import RecurrenceRule
from butler.contract.speech import phrase, say, say_clock, say_list
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.clock import NOON
from butler.orchestrator.embedded.every import Repeated, clock_halves, rule_of
from butler.orchestrator.embedded.reminding import rule_args
from butler.orchestrator.embedded.when import DAWN
from butler.orchestrator.understanding.recurring.rules import Recurrence, parts_of, recurrence
from butler.orchestrator.understanding.said import PARTS, Said
from butler.orchestrator.understanding.times.loose import loose_time
from butler.understanding.times.saying import TimeSaid

HOW_OFTEN = phrase("How often is “{words}”? Say it like “every Monday at 9”.")
TOO_OFTEN = phrase("I can do that at the most every 5 minutes. How often shall it be?")
NONE_TO_COME = phrase("None of those times is to come. When shall I remind you?")
SURELY_LATE = 5
"""The hour before which a bare time of a recurrence is in the afternoon; `at five` and `at six` are ambiguous."""


def recurring(said: Said) -> Recurrence:
    """Return the recurrence, with the separately marked day and hour. Raise `Asking`."""
    words = said.all_words("every")
    found = recurrence(words, said.language, said.scene.now())
    if found is None:
        raise Asking(say(HOW_OFTEN, words=words))
    apart = loose_time(said, "time") if said.has("time") else None
    repeated = _joined(found.said, apart) if apart is not None else found.said
    return replace(found, said=_afternoon(repeated))


def _joined(repeated: Repeated, apart: TimeSaid) -> Repeated:
    """Join a recurrence with a separate time: `tomorrow at 9` and `every day` begins that day, at that hour."""
    clocks, half = repeated.clocks, repeated.half_said
    if not clocks and repeated.within is None and (apart.clock is not None or apart.moment is not None):
        clock = apart.clock or (apart.moment.time().replace(second=0) if apart.moment else time(9))
        clocks, half = (clock,), apart.half_said or not 0 < clock.hour < DAWN
    parts = parts_of(repeated) or ((PARTS[apart.part],) if apart.part in PARTS and not clocks else ())
    since: date | None = repeated.since or (None if apart.bound == "before" else apart.day)
    until = repeated.until or (apart.day if apart.bound == "before" else apart.until_day)
    return replace(repeated, clocks=clocks, half_said=half, parts=parts, since=since, until=until)


def _afternoon(repeated: Repeated) -> Repeated:
    """Return the recurrence with early bare hours in the afternoon: `every Friday at 4`."""
    if repeated.half_said or not all(0 < clock.hour < SURELY_LATE for clock in repeated.clocks):
        return repeated
    later = tuple(clock.replace(hour=clock.hour + NOON) for clock in repeated.clocks)
    return replace(repeated, clocks=later, half_said=True)


def sure_of_halves(found: Recurrence, said: Said) -> Repeated:
    """Return the recurrence; raise `Asking`, with a button for each reading, if an hour is ambiguous."""
    halves = clock_halves(found.said)
    if not halves:
        return found.said
    choices = [
        choice(say_list([say_clock(clock) for clock in one.clocks]), said.again("every", found.at(one.clocks)))
        for one in halves
    ]
    raise Asking(say("In the afternoon or in the morning?"), choices)


def rule_from(repeated: Repeated, said: Said) -> RecurrenceRule:
    """Return the rule; raise `Asking` if it is too frequent or has no time to come."""
    try:
        rule = rule_of(repeated, said.scene.now(), said.scene.request.zone.key)
    except ValueError:
        raise Asking(say(TOO_OFTEN)) from None
    if rule is None:
        raise Asking(say(NONE_TO_COME))
    return rule


def rule_said(said: Said, *, morning: bool = False) -> tuple[dict[str, Any], bool]:
    """Return the rule as the reminders' tools take it, and whether its hour was said.

    Args:
        said: The request.
        morning: Whether a bare hour is in the morning, such as for waking somebody.
    """
    found = recurring(said)
    repeated = found.said
    short = repeated.often["every"] in {"minute", "hour"}
    if repeated.within is not None and not short:
        repeated = replace(repeated, within=None, clocks=(repeated.within[0],))
    if morning:
        repeated = replace(repeated, half_said=True)
    repeated = sure_of_halves(replace(found, said=repeated), said)
    return rule_args(rule_from(repeated, said)), repeated.hour_said
