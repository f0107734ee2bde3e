"""Plans from questions about the calendar: what is in it, when something is, when there is free time."""

import re
from dataclasses import replace
from datetime import timedelta

from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import CALENDARS, FREE, LIST, READ, look, name_in_title
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.stretch import Stretch, from_now
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.loose_times import length_within, minutes_of
from butler.orchestrator.understanding.named import event_words, pointing
from butler.orchestrator.understanding.refs import one_of, shows
from butler.orchestrator.understanding.said import Builder, Said
from butler.orchestrator.understanding.upcoming import says_next, spanned
from butler.orchestrator.understanding.who import known, without_article

WHICH_EVENT = phrase("Which event do you mean? Say when it is or what it is called.")
FULL_DAY = re.compile(
    r"\b(all|whole|full|entire) day|ganze[nr]? tag|ganztägig|ganztags|journée entière|toute la journée|todo el día",
    re.IGNORECASE,
)
A_DAY = 1_440


def list_events(said: Said) -> PlannerOutput:
    """What is in the calendar: of a time, with somebody, about something; the next one."""
    if said.has("ref") and not said.has("topic", "with") and pointing(said.words("ref")) and _shown(said):
        return _read(said)
    said.need(LIST)
    words = sought(said)
    when = spanned(said)
    if when == Stretch() and says_next(said):
        now = said.scene.now().replace(tzinfo=None, second=0, microsecond=0)
        return calls.plan(look(words, Stretch(now), limit=1))
    return calls.plan(look(words, from_now(when, said.scene.now())))


def sought(said: Said) -> str:
    """What an event is looked for by: its own words, and the names of those who take part."""
    found = [event_words(one) for slot in ("topic", "title") for one in said.request.words(slot)]
    if not any(found) and said.has("ref") and not pointing(said.words("ref")):
        found = [event_words(said.words("ref"))]
    found += [_name(one, said) for one in said.request.words("with")]
    return " ".join(one for one in found if one)


def _name(words: str, said: Said) -> str:
    """How a person is called in a title, known or not."""
    person = known(words, said.scene)
    return name_in_title(person) if person is not None else without_article(words)


def _shown(said: Said) -> bool:
    return shows(said, ReferentKind.EVENT)


def _read(said: Said) -> PlannerOutput:
    said.need(READ)
    found = one_of(said, frozenset({ReferentKind.EVENT}))
    if found is None:
        raise Asking(say(WHICH_EVENT))
    return calls.plan(calls.call(READ, say("Look it up in your calendar"), event={"handle": found.handle}))


def free_time(said: Said) -> PlannerOutput:
    """When nothing is in the calendar; whom it is for says nothing, for only the own calendar is known."""
    said.need(FREE)
    when, minutes = spanned(said), 0
    if words := said.words("duration"):
        found = length_within(words, said)
        if found is not None and minutes_of(found) < A_DAY:
            minutes = minutes_of(found)
        elif found is None and not FULL_DAY.search(words):
            said.length("duration")
    return calls.plan(
        calls.call(FREE, say("Look for free time in your calendar"), **_room(when, minutes).args(), **_minutes(minutes))
    )


def _minutes(minutes: int) -> dict[str, int]:
    return {"minutes": minutes} if minutes else {}


def _room(when: Stretch, minutes: int) -> Stretch:
    """With room for all of a length that begins at an hour."""
    since, before = when.since, when.before
    if not minutes or since is None or before is None or not hasattr(since, "hour") or not hasattr(before, "hour"):
        return when
    ends = since + timedelta(minutes=minutes)
    return replace(when, before=max(ends, before))  # pyright: ignore[reportArgumentType] - both have an hour


def calendars(said: Said) -> PlannerOutput:
    """Which calendars there are."""
    said.need(CALENDARS)
    return calls.plan(calls.call(CALENDARS, say("List your calendars")))


BUILDERS: dict[str, Builder] = {
    "calendar.list": list_events,
    "calendar.free": free_time,
    "calendar.calendars": calendars,
}
"""A function for each intent."""
