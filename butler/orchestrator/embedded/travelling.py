"""The owner is somewhere else: `I'm in New York`, `I'm in Lisbon until Sunday`, `I'm back home`."""

from dataclasses import replace
from datetime import date
from typing import Any

from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.day import day_at
from butler.orchestrator.embedded.lexer import Tail, phrases
from butler.orchestrator.embedded.places import zones_of
from butler.orchestrator.embedded.scene import Scene, not_set_up
from butler.orchestrator.planning.plan_types import PlannerOutput

TRAVEL = "bot_reminders_travel"
I_AM = phrases(
    "(i'm|i am|im) [now|currently|back|still] (in|at)", "i (arrived|landed|have arrived|have landed|just landed) in",
    "(i've|i have) (arrived|landed) in", "we're [now] in", "we are [now] in", "i'll be in", "i will be in",
    "(set|change) my (time zone|timezone) to", "(change|switch) to (the time zone|the timezone|the clocks) of",
    "my (time zone|timezone) is", "i'm staying in", "i am staying in",
)  # fmt: skip
LATER = phrases("i'll be in", "i will be in")
HOME = phrases(
    "(i'm|i am|im) [now] (back|home|back home|at home|home again|back at home)", "i'm home again", "i am home again",
    "(i've|i have) (come home|returned|got home|come back)",
)  # fmt: skip
UNTIL = phrases("(until|till|through|up to) [the]")
FOR_NOW = phrases("(now|right now|today|again|for now|at the moment|this week)")
ZONE = phrases("[and] the (time zone|timezone) is")
MOST_WORDS = 4
"""Of a place's name."""


def travel(tail: Tail, scene: Scene) -> PlannerOutput | None:
    """Read where the owner is; None where it is no place that has clocks."""
    bare = tail.bare()
    home = bare.take(HOME)
    if home is not None and home.past(FOR_NOW).done:
        return _plan("", None, scene)
    start = bare.take(I_AM)
    if start is None or start.done:
        return None
    place, until, rest = _until(start, scene)
    zones = zones_of(place)
    if not zones or not rest.done:
        return None
    if bare.take(LATER) is not None:
        raise Asking(
            say("Tell me when you are there, like “I'm in {place}”; I go by its clocks from then on.", place=place)
        )
    if len(zones) > 1:
        words = bare.source
        raise Asking(
            say("Which clocks are those in {place}?", place=place),
            [choice(zone, words.replace(place, zone, 1)) for zone in zones],
        )
    return _plan(next(iter(zones)), until, scene)


def _until(start: Tail, scene: Scene) -> tuple[str, date | None, Tail]:
    """The place, the last day there, and what is left."""
    found = start.find(UNTIL)
    if found is None:
        place = start
        for size in range(1, MOST_WORDS):
            here = replace(start, at=max(start.at, start.end - size))
            if here.at > start.at and (after := here.take(FOR_NOW)) is not None and after.done:
                place = replace(start, end=here.at)
        return place.text, None, replace(start, at=start.end)
    place, after = found
    day = day_at(after, scene.now().date())
    return (place.text, day[0].day, day[1]) if day is not None else (place.text, None, after)


def _plan(zone: str, until: date | None, scene: Scene) -> PlannerOutput:
    if not scene.has(TRAVEL):
        raise Asking(not_set_up(TRAVEL))
    more: dict[str, Any] = {"until": until.isoformat()} if until else {}
    return calls.plan(calls.travel(zone, **more))
