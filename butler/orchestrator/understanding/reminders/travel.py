"""Builds a change of time zone: reminders follow the zone of the owner's place, or that of home again."""

import re
from datetime import date
from zoneinfo import ZoneInfo

from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.places import SEASONS, zones_of
from butler.orchestrator.embedded.zone_names import abbreviations, long_names
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.people.who import without_article
from butler.orchestrator.understanding.reminders.reminder_words import group, whole
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.times.loose import loose_time
from butler.understanding.times.lexicon import folded

HOME = whole("home")
UNTIL = re.compile(rf"\b{group('until')}(?:\s+{group('until_the')})?\s*$", re.IGNORECASE)
WHERE = phrase("Where are you? Say it like “I'm in Lisbon until Sunday”.")


def travel(said: Said) -> PlannerOutput:
    """Set the zone of the owner's present place; without a place, that of home."""
    said.need("bot_reminders_travel")
    place = without_article(bare(said.words("place")))
    if not place or HOME.fullmatch(place):
        if not HOME.search(said.request.text):
            raise Asking(say(WHERE))
        return calls.plan(calls.travel(""))
    zones: tuple[str, ...] = _zones(bare(said.words("place"))) or _zones(place)
    if not zones:
        raise Asking(say("I know no clocks of “{place}”. Say a city that has the same.", place=place))
    until = _until(said, place)
    if len(zones) > 1:
        choices = [choice(zone, said.again("place", zone)) for zone in zones]
        raise Asking(say("Which clocks are those in {place}?", place=place), choices)
    return calls.plan(calls.travel(next(iter(zones)), **({"until": until.isoformat()} if until else {})))


def _zones(place: str) -> tuple[str, ...]:
    """Return the zones of a place or of a zone's name, one for each local time."""
    key = tuple(token.word for token in lex(place).tokens)
    found = (
        zones_of(place)
        or zones_of(folded(place))
        or long_names().get(key, ())
        or abbreviations().get(" ".join(key), ())
    )
    clocks: dict[tuple[object, ...], str] = {}
    for name in found:
        clocks.setdefault(tuple(day.astimezone(ZoneInfo(name)).utcoffset() for day in SEASONS), name)
    return tuple(clocks.values())


def _until(said: Said, place: str) -> date | None:
    """Return the last day there; raise `Asking` if the stay is still to come."""
    found = loose_time(said, "time") if said.has("time") else None
    if found is None:
        return None
    today = said.scene.now().date()
    ends = found.bound == "before" or _says_until(said)
    begins = None if ends else found.day or (found.moment.date() if found.moment else None)
    if begins is not None and begins > today:
        raise Asking(
            say("Tell me when you are there, like “I'm in {place}”; I go by its clocks from then on.", place=place)
        )
    return found.until_day or (found.day if ends else None)


def _says_until(said: Said) -> bool:
    """Return whether `until` comes right before the time."""
    first = next(one.start for one in said.request.slots if one.slot == "time")
    return UNTIL.search(said.request.text[:first]) is not None
