"""Builds requests to wait for an answer: `tell me when Anna answers`, `remind me if Bob hasn't replied by Friday`.

The digest's watch waits for people with an address; an automation reports what people write who are only known by name.
"""

from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Any

from butler.contract.events import EventName
from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.people import Person, Way, names_for
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.planning.plan_types import Command, PlannerOutput
from butler.orchestrator.understanding.answer_words import ANSWERS, SILENT, TOLD, WHOSE
from butler.orchestrator.understanding.automations.action_words import URGENT, patterns, whole
from butler.orchestrator.understanding.automations.builders import CREATE, create, told
from butler.orchestrator.understanding.automations.trigger_parts import sender
from butler.orchestrator.understanding.mail.builders import words_about
from butler.orchestrator.understanding.mail.senders import named_alone
from butler.orchestrator.understanding.people.who import is_pronoun, known, person, without_article
from butler.orchestrator.understanding.said import Builder, Said
from butler.orchestrator.understanding.things.refs import one_of, tappable
from butler.orchestrator.understanding.times.loose import after, length_within, loose_time
from butler.orchestrator.understanding.trigger_words import NAMED_ALERT, WHEN_END
from butler.store.conversation import Referent
from butler.understanding.marked import SlotWords

WATCH = "bot_digests_watch_answer"
END_OF_DAY = time(18)
SHOWN = frozenset({ReferentKind.MAIL, ReferentKind.MESSAGE})
WAITS, BY_TELEGRAM, BY_MAIL = whole("waits"), whole("by_telegram"), patterns("by_mail")


def watch(said: Said) -> PlannerOutput:
    """Report an answer, or its absence until a time."""
    text = said.request.text
    until = _until(said)
    words = _names(said)
    found = (known(words, said.scene) or known(words.removesuffix("s"), said.scene)) if words else None
    silent = SILENT.search(text) is not None or (WAITS.search(text) and not TOLD.search(text))
    writes = found is not None and not ANSWERS.search(text)
    if (found is None or writes) and until is None and not silent and (words or not _points(said)):
        return _whenever_it_comes(said, found)
    one = found or (person(words, said.scene) if words else _by_shown(said))
    return _waited_for(one, said, until, tell_answer=not silent)


def _waited_for(one: Person, said: Said, until: datetime | None, *, tell_answer: bool) -> PlannerOutput:
    said.need(WATCH)
    what = say("Wait for an answer of {name}", name=one.name)
    by: dict[str, Any] = {"until": until.isoformat(timespec="seconds")} if until is not None else {}
    more = by | ({"tell_answer": True} if tell_answer else {})
    return calls.plan(calls.call(WATCH, what, who={"address": _address(one, said)}, **more))


def _points(said: Said) -> bool:
    """Return whether the writer of what was shown or replied to may be meant."""
    request = said.scene.request
    shown = request.last_shown is not None and request.last_shown.kind in SHOWN and not said.has("topic", "subject")
    return said.has("ref") or bool(request.replied_to) or shown


def _names(said: Said) -> str:
    """Return the name of the person whose answer is awaited; empty if the request only points at something shown."""
    every = [words for slot in ("from", "to", "with") for words in said.request.words(slot)]
    found = next((words for words in every if known(words, said.scene) is not None), every[0] if every else "")
    alone = named_alone(said)
    name = alone.said if alone is not None else ""
    if found and is_pronoun(found):
        return name or ("" if _points(said) else found)
    return found or ("" if _points(said) or said.has("topic", "subject") else name)


def _shown(said: Said) -> Referent | None:
    return one_of(said, SHOWN) if _points(said) else None


def _by_shown(said: Said) -> Person:
    """Return the writer of what was shown; raise `Asking` if it is unknown."""
    found = _shown(said)
    contact = said.scene.contact(found) if found is not None else None
    if contact is None:
        raise Asking(say(WHOSE))
    return Person(contact.name, (contact,))


def _address(one: Person, said: Said) -> str:
    """Return one address of a person, which represents all their addresses."""
    if one.address:
        return one.address
    if len(one.contacts) != 1:
        slot = next((slot for slot in ("from", "to", "with") if said.has(slot)), "from")
        names = [name for each in one.contacts for name in names_for(each, said.scene, tuple(Way))[:1]]
        raise Asking(say("Whose answer do you mean?"), [choice(name, said.again(slot, name)) for name in names])
    (contact,) = one.contacts
    address = contact.address("mail") or contact.address("telegram")
    if address is None:
        raise Asking(say("I have no address of {name}.", name=contact.name))
    return address


def _until(said: Said) -> datetime | None:
    """Return the deadline; a day alone means its evening."""
    slot = next((slot for slot in ("time", "duration", "age") if said.has(slot)), "")
    if not slot:
        return None
    words = ", ".join(said.request.words(slot))
    try:
        found = loose_time(said, slot)
    except Asking:
        long = length_within(words, said)
        if long is None:
            raise
        at = after(long, said.scene.now())
        return at if long.seconds else datetime.combine(at.date(), END_OF_DAY)
    assert found is not None
    if found.moment is not None:
        return found.moment
    last = found.until_day or found.day
    late = END_OF_DAY if found.clock is None else found.clock
    if found.clock is None and last is not None:
        return _to_come(datetime.combine(last, END_OF_DAY), said)
    return said.settled(replace(found, day=last, until_day=None, clock=late, bound=""), slot)


def _to_come(at: datetime, said: Said) -> datetime:
    """Return the end of a day; today's last minute if its evening has begun."""
    wall = said.scene.now().replace(tzinfo=None)
    return at if at > wall else max(datetime.combine(at.date(), time(23, 59)), wall + timedelta(minutes=1))


def _whenever_it_comes(said: Said, found: Person | None) -> PlannerOutput:
    """Return an automation that reports what somebody writes by mail, on Telegram or both, or mails about a topic."""
    said.need(CREATE)
    if found is None and (alert := _of_alert(said)) is not None:
        return create(alert)
    words, topic = _names(said), words_about(said, "topic", "subject")
    if not words and not topic:
        raise Asking(say(WHOSE))
    where: list[dict[str, Any]] = [{"fact": "subject", "compare": "contains", "value": topic}]
    if words:
        where = [sender(words, found).model_dump(mode="json")]
    urgent = {"urgent": True} if URGENT.search(said.request.text) else {}
    about = found.name if found is not None else without_article(words) or topic
    events = _events(said, found)
    steps = [
        calls.call(
            CREATE,
            say("Save an automation"),
            name=_name(about, event, several=len(events) > 1),
            do=[{"tell": told(event)} | urgent],
            when={"event": event.value, "where": where},
        )
        for event in events
    ]
    return calls.plan(*steps)


def _of_alert(said: Said) -> Said | None:
    """Return the request as one for an automation if a server's alert is awaited, and no answer."""
    text = said.request.text
    when = WHEN_END.search(text)
    if when is None or not text[: when.start()].strip() or not NAMED_ALERT.search(text, when.end()):
        return None
    trigger, action = text[when.end() :].strip(" .!"), text[: when.start()].strip(" ,")
    at = text.index(trigger, when.end())
    slots = SlotWords("action", action, 0, len(action)), SlotWords("trigger", trigger, at, at + len(trigger))
    return replace(said, request=replace(said.request.as_("automation.create"), slots=slots))


def _name(about: str, event: EventName, *, several: bool) -> str:
    way = say("Mail") if event is EventName.MAIL_RECEIVED else "Telegram"
    name = capital(say("Answer of {name}", name=about))[:60]
    return f"{name} ({way})" if several else name


def _events(said: Said, found: Person | None) -> list[EventName]:
    """Return whether to wait for a mail, a message, or either."""
    text = said.request.text
    if found is None or BY_MAIL.search(text):
        return [EventName.MAIL_RECEIVED]
    ways = found.ways()
    if Way.TELEGRAM in ways and (BY_TELEGRAM.search(text) or Way.MAIL not in ways):
        return [EventName.CHAT_RECEIVED]
    return [EventName.MAIL_RECEIVED, EventName.CHAT_RECEIVED] if Way.TELEGRAM in ways else [EventName.MAIL_RECEIVED]


def waited_for(_said: Said) -> PlannerOutput:
    """`what am I waiting for`: whose answers."""
    return Command.WAITING


BUILDERS: dict[str, Builder] = {"watch.answer": tappable(watch), "watch.list": waited_for}
