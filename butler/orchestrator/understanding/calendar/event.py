"""Finds the events to act on: shown ones, one to search for, or all of a time."""

import re
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from butler.contract.agents import PlanStep
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.agenda_words import LIST, READ, Found, look
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.stretch import Stretch, from_now
from butler.orchestrator.planning.plan_types import Planned
from butler.orchestrator.understanding.calendar.calendar_words import group, numbers, plain, whole
from butler.orchestrator.understanding.calendar.reading import sought
from butler.orchestrator.understanding.people.who import known
from butler.orchestrator.understanding.requests.left_out import kept_apart
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.things.named import EVENTS, SEVERAL_EVENTS, event_words
from butler.orchestrator.understanding.things.refs import outside, recent, shows, which_of
from butler.orchestrator.understanding.things.shown import last_of, meant, points
from butler.orchestrator.understanding.times.asked_before import asked_day
from butler.orchestrator.understanding.times.loose import loose_time, time_within
from butler.orchestrator.understanding.times.upcoming import NEXT, likely, only, says_next, span_of, spanned
from butler.store.conversation import Referent
from butler.understanding.marked import SlotWords
from butler.understanding.times.lexicon import folded

EVENT = ReferentKind.EVENT
WHICH = phrase("Which event do you mean? Say when it is or with whom, like “cancel the meeting with Anna on Friday”.")
ALL, SERIES, OCLOCK = whole("all"), whole("series"), whole("oclock")
SOME = rf"(?!{group('choosing')}\b)"
"""Excludes words that select only some events."""
PLURAL = rf"\w*(?:{'|'.join(SEVERAL_EVENTS)})\b"
NOT_BEHIND = "".join(rf"(?<!\b{word} )" for word in plain("otherwise"))
"""Words before events of which only some are meant, or that only tell when or why: `two of my meetings`."""
DETERMINED = "|".join(
    rf"{group('determiners', language)}\s+(?:{SOME}\w+\s+){{0,{most}}}"
    for language, most in numbers("adjectives").items()
)
SEVERAL = re.compile(rf"{NOT_BEHIND}\b(?:{DETERMINED}){PLURAL}", re.IGNORECASE)
"""A plural noun for events: `Friday's meetings`."""
SOME_OF = re.compile(
    rf"\b{group('some')}\s+{group('some_of')}?\s*{group('some_of_these')}\s+(?:\w+\s+)?{PLURAL}", re.IGNORECASE
)
"""Some of the events, which are not told apart: `two of my meetings`."""
KEEPING = frozenset({"topic", "title", "with"})
"""Slots that may exclude events: `all meetings on Friday except the one with Bob`."""
DESCRIBES = frozenset({"topic", "with", "time_of", "title"})
SLOT = "\x00"
"""The placeholder for a slot that describes the events."""
AN_HOUR = re.compile(rf"(?:{group('of_hour')} )?\w+", re.IGNORECASE)
OF_HOUR = re.compile(rf"\b{group('one_at')}\s+$", re.IGNORECASE)
"""Words before an hour that names an event: `la de las cuatro`."""
FEW = 3
"""The most words between `all` and its events."""


@dataclass(frozen=True, slots=True)
class One:
    """An event by its handle, or the search for it."""

    handle: str = ""
    words: str = ""
    when: Stretch = field(default_factory=Stretch)
    next: bool = False
    series: bool = False

    def again(self) -> dict[str, bool]:
        """Return the argument for a whole series, if it is meant."""
        return {"series": True} if self.series else {}


def ones_of_calendar(said: Said) -> tuple[One, ...]:
    """Return the events that are meant: the shown ones pointed at, or the one described. Raise `Asking`."""
    series = SERIES.search(outside(said)) is not None
    if not said.has("ref") and SOME_OF.search(said.request.text):
        raise Asking(say(WHICH))
    if handles := shown_events(said):
        return tuple(One(handle=one.handle, series=series) for one in handles)
    ref = said.words("ref")
    words, when = sought(said), spanned(said, "time_of")
    if ref and when == Stretch() and (named := _time_of_ref(ref, said)) is not None:
        when = named
        words = "" if not said.has("topic", "with") else words
    if words and isinstance(when.since, datetime) and not _says_day(said):
        when = Stretch()
    if words or when != Stretch():
        return (One(words=words, when=when, series=series),)
    if (ref and NEXT.search(ref)) or (not ref and says_next(said)):
        now = said.scene.now().replace(tzinfo=None, second=0, microsecond=0)
        return (One(when=Stretch(now), next=True, series=series),)
    if shown := meant(said, EVENT):
        return tuple(One(handle=one.handle, series=series) for one in shown)
    raise Asking(say(WHICH))


def _time_of_ref(ref: str, said: Said) -> Stretch | None:
    """Return the time in words that point: `the one on Tuesday`, `the three o'clock`; None if they have none.

    An hour alone is on the day that was mentioned just before.
    """
    place = points(ref, said.language) and not _says_hour(said) and not any(map(str.isdigit, ref))
    found = time_within(ref, said) if not place and not NEXT.search(ref) else None
    if found is None:
        return None
    day = asked_day(said) if found.day is None and found.moment is None else found.day
    shown = recent(said, frozenset({EVENT}))
    if day is None and found.moment is None and len(shown) > 1:
        raise which_of(said, shown)
    return span_of(likely(replace(found, day=day), ref), said.scene.now())


def shown_events(said: Said) -> tuple[Referent, ...]:
    """Return the shown events that are pointed at or implied; none if the request describes one."""
    refs = said.request.words("ref")
    if _says_hour(said):
        return ()
    if any(points(one, said.language) and not NEXT.search(one) for one in refs):
        return meant(said, EVENT)
    if refs or sought(said) or (not said.has("time_of") and says_next(said)):
        return ()
    if not said.has("time_of"):
        return meant(said, EVENT)
    if not shows(said, EVENT):
        return ()
    return meant(said, EVENT) if last_of(said, EVENT) is not None or not _says_day(said) else ()


def _says_hour(said: Said) -> bool:
    return any(_is_hour(one, said) for one in said.request.slots if one.slot == "ref")


def _is_hour(one: SlotWords, said: Said) -> bool:
    """Return whether pointing words name an hour, not a place in a list: `the three o'clock`, `la de [las cuatro]`."""
    if OCLOCK.search(one.text):
        return True
    return AN_HOUR.fullmatch(one.text) is not None and OF_HOUR.search(said.request.text[: one.start]) is not None


def _says_day(said: Said) -> bool:
    """Return whether the old time has a day; an hour alone may be on any day."""
    found = loose_time(said, "time_of") if said.has("time_of") else None
    return found is None or found.day is not None or found.moment is not None


def reached(one: One, said: Said, *, times: bool = False) -> Found:
    """Return how a step refers to the event, with the step that searches it, or reads it if its `times` are needed."""
    said.need(LIST)
    if one.handle:
        handle = {"handle": one.handle}
        reading = (calls.call(READ, say("Look it up in your calendar"), event=handle),)
        return Found(handle, reading if times else ())
    found = look(
        one.words, one.when if one.next else from_now(one.when, said.scene.now()), **({"limit": 1} if one.next else {})
    )
    when = only(found).when
    return Found({"step": 1, "fact": "events.0.event_id"}, (found,), "events.0.", when)


def acted(said: Said, tool: str, told: str, **args: Any) -> Planned:
    """Return the plan for an act on one event, or on all that are meant."""
    said.need(tool)
    if (wanted := every_one(said)) is not None:
        return calls.plan(calls.call(tool, told, **wanted, **args))
    first, *others = ones_of_calendar(said)
    if others:
        events = [{"handle": one.handle} for one in (first, *others)]
        return calls.plan(calls.call(tool, told, events=events, **args, **first.again()))
    there = reached(first, said)
    step: PlanStep = calls.call(tool, told, events=[there.event], **args, **first.again())
    return there.then(step)


def joined(plans: list[Planned]) -> Planned:
    """Return one plan with the steps of several, in order."""
    plan = plans[0]
    for later in plans[1:]:
        plan = calls.plan(*plan.steps, *calls.moved(later, len(plan.steps)))
    return plan


def every_one(said: Said) -> dict[str, Any] | None:
    """Return the arguments for all events of a kind: `everything on Friday`, `all meetings with Anna`; None for one."""
    said, kept = kept_apart(said, KEEPING)
    ref = said.words("ref")
    if not _says_all(said) or (ref and points(ref, said.language) and meant(said, EVENT)):
        return None
    found = time_within(ref, said) if ref and not said.has("time_of") else None
    when = span_of(likely(found, ref), said.scene.now()) if found else spanned(said, "time_of")
    found = criteria(said, when)
    names = [name for one in kept for name in (event_words(one.text), _address(one.text, said)) if name]
    return found | ({"keep": list(dict.fromkeys(names))} if names else {}) if found else None


def criteria(said: Said, when: Stretch) -> dict[str, Any]:
    """Return the arguments for all events with this time, topic and people; empty if the request has none of these."""
    topics = (*said.request.words("topic"), *said.request.words("title"))
    words = " ".join(one for topic in topics if (one := event_words(topic)))
    people = [_address(one, said) for slot in ("with", "from", "to") for one in said.request.words(slot)]
    args: dict[str, Any] = from_now(when, said.scene.now()).args() if when != Stretch() else {}
    return args | ({"words": words} if words else {}) | ({"people": people} if people else {})


def _says_all(said: Said) -> bool:
    """Return whether all described events are meant; an `all` elsewhere in the request does not count."""
    if any(ALL.search(one) for slot in ("ref", "every") for one in said.request.words(slot)):
        return True
    text = said.request.text
    if (several := SEVERAL.search(text)) is not None and not any(
        one.slot not in DESCRIBES and one.start < several.end() and several.start() < one.end
        for one in said.request.slots
    ):
        return True
    for one in sorted(said.request.slots, key=lambda slot: -slot.start):
        own = "all " if one.slot in DESCRIBES and ALL.fullmatch(one.text.partition(" ")[0]) else ""
        text = text[: one.start] + own + (SLOT if one.slot in DESCRIBES else " ") + text[one.end :]
    for match in ALL.finditer(text):
        behind = re.split(r"[,;:.!?]", text[match.end() :])[0].split()[: FEW + 1]
        before = text[: match.start()].replace(",", " ").split()[-FEW - 1 :]
        if any(SLOT in word or folded(word) in EVENTS for word in behind) or any(
            folded(one) in EVENTS for one in before
        ):
            return True
    return False


def _address(words: str, said: Said) -> str:
    """Return a guest as the calendar knows them: by mail address, else by name."""
    person = known(words, said.scene)
    addresses = [one for contact in person.contacts for one in contact.addresses] if person is not None else []
    mails = [one.removeprefix("mail:") for one in addresses if one.startswith("mail:")]
    return mails[0] if mails else words
