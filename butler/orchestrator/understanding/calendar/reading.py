"""Builds questions about the calendar: its events, the time of an event, free time."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import CALENDARS, FREE, LIST, READ, look, name_in_title
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.stretch import Stretch, from_now
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.act_words import only
from butler.orchestrator.understanding.calendar.calendar_words import patterns
from butler.orchestrator.understanding.calendar.spans import span_by_shown
from butler.orchestrator.understanding.people.who import known, without_article
from butler.orchestrator.understanding.said import Builder, Said
from butler.orchestrator.understanding.things.named import event_words, pointing
from butler.orchestrator.understanding.things.refs import shows, tappable
from butler.orchestrator.understanding.things.shown import one_meant
from butler.orchestrator.understanding.times.asked_before import asked_time
from butler.orchestrator.understanding.times.loose import minutes_of
from butler.orchestrator.understanding.times.meant import of_meant_times
from butler.orchestrator.understanding.times.relative import amount_of
from butler.orchestrator.understanding.times.upcoming import NEXT, says_next, span_of, spanned
from butler.understanding.times.lexicon import lexicon, tokens_of

WHICH_EVENT = phrase("Which event do you mean? Say when it is or what it is called.")
FULL_DAY = patterns("full_day")
A_DAY = 1_440


def list_events(said: Said) -> PlannerOutput:
    """List events by time, people or topic, or the next one."""
    if said.has("ref") and not said.has("topic", "with") and pointing(said.words("ref")) and _shown(said):
        return _read(said)
    said.need(LIST)
    words = sought(said)
    if not words and (by := span_by_shown(said)) is not None:
        return _of_span(*by, LIST, say("Look into your calendar"))
    next_one = NEXT.fullmatch(said.words("time").strip()) is not None
    when = Stretch() if next_one else _spanned(said)
    if when == Stretch() and (next_one or says_next(said)):
        now = said.scene.now().replace(tzinfo=None, second=0, microsecond=0)
        return calls.plan(look(words, Stretch(now), limit=1))
    return calls.plan(look(words, from_now(when, said.scene.now())))


def _spanned(said: Said) -> Stretch:
    """Return the requested span; for `then`, the span mentioned just before."""
    asked = asked_time(said) if only("there", " ".join(said.request.words("time"))) else None
    return span_of(asked[0], said.scene.now()) if asked is not None else spanned(said)


def sought(said: Said) -> str:
    """Return the search words of an event: its own words, and the names of its guests."""
    found = [event_words(one) for slot in ("topic", "title") for one in said.request.words(slot)]
    if not any(found) and said.has("ref") and not pointing(said.words("ref")):
        found = [event_words(said.words("ref"))]
    found += [_name(one, said) for one in said.request.words("with")]
    return " ".join(one for one in found if one)


def _name(words: str, said: Said) -> str:
    """Return a person's name for a title, known or not."""
    person = known(words, said.scene)
    return name_in_title(person) if person is not None else without_article(words)


def _shown(said: Said) -> bool:
    return shows(said, ReferentKind.EVENT)


def _read(said: Said) -> PlannerOutput:
    said.need(READ)
    found = one_meant(said, ReferentKind.EVENT)
    if found is None:
        raise Asking(say(WHICH_EVENT))
    return calls.plan(calls.call(READ, say("Look it up in your calendar"), event={"handle": found.handle}))


def free_time(said: Said) -> PlannerOutput:
    """Find free time. The people do not matter, as only the owner's calendar is known."""
    said.need(FREE)
    minutes, told = _long(said), say("Look for free time in your calendar")
    long = {"minutes": minutes} if minutes else {}
    if (by := span_by_shown(said)) is not None:
        return _of_span(*by, FREE, told, **long)
    return calls.plan(calls.call(FREE, told, **_room(_spanned(said), minutes).args(), **long))


def _of_span(look_up: PlanStep, span: dict[str, Any], tool: str, told: str, **more: Any) -> PlannerOutput:
    """Return the plan for a query over a span that is known once an event was read."""
    return calls.plan(look_up, calls.call(tool, told, **span, **more).model_copy(update={"depends_on": [1]}))


def _long(said: Said) -> int:
    """Return the requested minutes; 0 if none were said, or a whole day."""
    words = said.words("duration")
    found = amount_of(words, said) if words else None
    if words and found is None and not FULL_DAY.search(words) and has_length(words, said):
        said.length("duration")
    return minutes_of(found) if found is not None and minutes_of(found) < A_DAY else 0


def has_length(words: str, said: Said) -> bool:
    """Return whether the words have a unit of time: `a coffee` has none."""
    known = lexicon(said.language)
    return any("unit" in known.phrases.get((token,), {}) for token in tokens_of(words))


def _room(when: Stretch, minutes: int) -> Stretch:
    """Return the span extended so that a duration fits after its start hour."""
    since, before = when.since, when.before
    if not minutes or since is None or before is None or not hasattr(since, "hour") or not hasattr(before, "hour"):
        return when
    ends = since + timedelta(minutes=minutes)
    return replace(when, before=max(ends, before))  # pyright: ignore[reportArgumentType] - both have an hour


def calendars(said: Said) -> PlannerOutput:
    """List the calendars."""
    said.need(CALENDARS)
    return calls.plan(calls.call(CALENDARS, say("List your calendars")))


BUILDERS: dict[str, Builder] = {
    "calendar.list": of_meant_times(tappable(list_events)),
    "calendar.free": of_meant_times(free_time),
    "calendar.calendars": calendars,
}
"""The builders by intent."""
