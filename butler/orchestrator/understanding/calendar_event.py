"""The one event that something is done to: one that was shown, or one to be looked for; or all of a time."""

import re
from dataclasses import dataclass, field
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
from butler.orchestrator.understanding.calendar_reading import sought
from butler.orchestrator.understanding.loose_times import loose_time, time_within
from butler.orchestrator.understanding.named import event_words, pointing
from butler.orchestrator.understanding.refs import one_of, shows
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.upcoming import NEXT, likely, only, says_next, span_of, spanned
from butler.orchestrator.understanding.who import known

WHICH = phrase("Which event do you mean? Say when it is or with whom, like “cancel the meeting with Anna on Friday”.")
ALL = re.compile(
    r"\b(all|every|everything|clear|alle[nrs]?|alles|sämtliche|tous|toutes|tout|tod[oa]s?|vacía|vide)\b", re.IGNORECASE
)
SERIES = re.compile(
    r"\b(series|for good|every (?:week|day|month|one)|serie|ganze reihe|alle wiederholungen|dauerhaft|série|"
    r"définitivement|toute la série|serie|toda la serie)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class One:
    """An event by its handle, or what is known of it to look for."""

    handle: str = ""
    words: str = ""
    when: Stretch = field(default_factory=Stretch)
    next: bool = False
    series: bool = False

    def again(self) -> dict[str, bool]:
        """Whether all of its times are meant."""
        return {"series": True} if self.series else {}


def one_of_calendar(said: Said) -> One:
    """Which event is meant; raise `Asking` where nothing tells."""
    series = SERIES.search(_outside(said)) is not None
    ref = said.words("ref")
    words, when = sought(said), spanned(said, "time_of")
    if ref and shows(said, ReferentKind.EVENT) and (pointing(ref) or not words):
        return One(handle=_shown(said), series=series)
    if ref and when == Stretch() and (found := time_within(ref, said)) is not None and not NEXT.search(ref):
        when = span_of(likely(found, ref), said.scene.now())
        words = "" if not said.has("topic", "with") else words
    if words and isinstance(when.since, datetime) and not _says_day(said):
        when = Stretch()
    if words or when != Stretch():
        return One(words=words, when=when, series=series)
    if (ref and NEXT.search(ref)) or (not ref and says_next(said)):
        return One(
            when=Stretch(said.scene.now().replace(tzinfo=None, second=0, microsecond=0)), next=True, series=series
        )
    if shows(said, ReferentKind.EVENT):
        return One(handle=_shown(said), series=series)
    raise Asking(say(WHICH))


def _shown(said: Said) -> str:
    found = one_of(said, frozenset({ReferentKind.EVENT}))
    if found is None:
        raise Asking(say(WHICH))
    return found.handle


def _says_day(said: Said) -> bool:
    """Whether the old time has a day; an hour alone may be of any."""
    found = loose_time(said, "time_of") if said.has("time_of") else None
    return found is None or found.day is not None or found.moment is not None


def _outside(said: Said) -> str:
    """The words that no slot has."""
    text = said.request.text
    for one in sorted(said.request.slots, key=lambda slot: -slot.start):
        text = text[: one.start] + text[one.end :]
    return text


def reached(one: One, said: Said, *, times: bool = False) -> Found:
    """How a step refers to it; it is looked for first, or read where its `times` are needed."""
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
    """Something that is done to one event, or to all that are spoken of."""
    said.need(tool)
    if (wanted := every_one(said)) is not None:
        return calls.plan(calls.call(tool, told, **wanted, **args))
    one = one_of_calendar(said)
    there = reached(one, said)
    step: PlanStep = calls.call(tool, told, events=[there.event], **args, **one.again())
    return there.then(step)


def every_one(said: Said) -> dict[str, Any] | None:
    """The arguments for all events of a kind: `everything on Friday`, `all meetings with Anna`; None for one."""
    ref = said.words("ref")
    if not ALL.search(f"{_outside(said)} {ref}") or (ref and shows(said, ReferentKind.EVENT) and pointing(ref)):
        return None
    found = time_within(ref, said) if ref and not said.has("time_of") else None
    when = span_of(likely(found, ref), said.scene.now()) if found else spanned(said, "time_of")
    words = " ".join(one for words in said.request.words("topic") if (one := event_words(words)))
    people = [_address(one, said) for one in said.request.words("with")]
    if when == Stretch() and not words and not people:
        return None
    args: dict[str, Any] = from_now(when, said.scene.now()).args() if when != Stretch() else {}
    return args | ({"words": words} if words else {}) | ({"people": people} if people else {})


def _address(words: str, said: Said) -> str:
    """A guest as the calendar knows them: by their mail address, else by name."""
    person = known(words, said.scene)
    addresses = [one for contact in person.contacts for one in contact.addresses] if person is not None else []
    mails = [one.removeprefix("mail:") for one in addresses if one.startswith("mail:")]
    return mails[0] if mails else words
