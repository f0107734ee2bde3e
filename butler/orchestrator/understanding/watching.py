"""Answers that are waited for: `tell me when Anna answers`, `remind me if Bob hasn't replied by Friday`."""

import re
from dataclasses import replace
from datetime import datetime, time, timedelta
from typing import Any

from butler.contract.events import EventName
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.people import Person, Way, names_for
from butler.orchestrator.embedded.say import capital
from butler.orchestrator.planning.plan_types import PlannerOutput
from butler.orchestrator.understanding.action_words import URGENT
from butler.orchestrator.understanding.automations import CREATE, told
from butler.orchestrator.understanding.loose_times import after, length_within, loose_time
from butler.orchestrator.understanding.mail import words_about
from butler.orchestrator.understanding.refs import one_of
from butler.orchestrator.understanding.said import Builder, Said
from butler.orchestrator.understanding.trigger_parts import sender
from butler.orchestrator.understanding.who import PRONOUNS, known, person, without_article
from butler.store.conversation import Referent

WATCH = "bot_digests_watch_answer"
WHOSE = phrase("Whose answer do you wait for?")
END_OF_DAY = time(18)
SHOWN = frozenset({ReferentKind.MAIL, ReferentKind.MESSAGE})
SILENT = re.compile(
    r"\b(?:\w+n['’]t|not|no (?:answer|reply|response|word)|nothing|silent|nobody|unless|otherwise|nicht|nix|"
    r"nichts|keine?n?|schweigt|"
    r"sonst|niemand|pas|rien|sans|muet|toujours aucune?|personne|sinon|no|nada|nadie|sin|ninguna)\b",
    re.IGNORECASE,
)
"""That no answer comes is what is to be told."""
WAITS = re.compile(
    r"\b(?:waiting (?:for|on)|wait for|awaiting|warte|wart|j['’]attends|attends|esperando|espero|a la espera)\b",
    re.IGNORECASE,
)
TOLD = re.compile(
    r"\b(?:tell|let me know|ping|notify|shout|alert|inform|warn|sag|bescheid|meld|benachrichtig\w*|alarm|"
    r"préviens|avertis|dis|fais[- ]moi signe|alerte|avise|av[ií]sa\w*|avisas|dime|dices|grítame|d[ií]me\w*)\b",
    re.IGNORECASE,
)
BY_TELEGRAM = re.compile(r"\b(?:telegram|texts?|messages?|chat|nachricht|mensaje|sms)\b", re.IGNORECASE)
BY_MAIL = re.compile(r"(?:\be-?mails?\b|\bmails?\b|inbox|posteingang|courriel|\bcorreos?\b|boîte)", re.IGNORECASE)


def watch(said: Said) -> PlannerOutput:
    """What is told where an answer comes, or where none does until a time."""
    text = said.request.text
    until = _until(said)
    if until is not None or SILENT.search(text) or (WAITS.search(text) and not TOLD.search(text)):
        return _unanswered(said, until)
    return _whenever_it_comes(said)


def _unanswered(said: Said, until: datetime | None) -> PlannerOutput:
    said.need(WATCH)
    words = _names(said)
    one = person(words, said.scene) if words else _by_shown(said)
    what = say("Wait for an answer of {name}", name=one.name)
    by = {"until": until.isoformat(timespec="seconds")} if until is not None else {}
    return calls.plan(calls.call(WATCH, what, who={"address": _address(one, said)}, **by))


def _names(said: Said) -> str:
    """Whose answer is waited for, as it was said; empty where only something shown was pointed at."""
    found = next((words for slot in ("from", "to", "with") if (words := said.words(slot))), "")
    is_pronoun = without_article(found).casefold() in PRONOUNS
    return "" if is_pronoun and (said.has("ref") or said.scene.request.replied_to) else found


def _shown(said: Said) -> Referent | None:
    return one_of(said, SHOWN) if said.has("ref") or said.scene.request.replied_to else None


def _by_shown(said: Said) -> Person:
    """Who wrote what was shown; raise `Asking` where nobody knows."""
    found = _shown(said)
    contact = said.scene.contact(found) if found is not None else None
    if contact is None:
        raise Asking(say(WHOSE))
    return Person(contact.name, (contact,))


def _address(one: Person, said: Said) -> str:
    """One address of theirs, which stands for all that they are known by."""
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
    """By when; a day alone is meant until its evening."""
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
    """The end of a day; today's last minute where its evening has come already."""
    wall = said.scene.now().replace(tzinfo=None)
    return at if at > wall else max(datetime.combine(at.date(), time(23, 59)), wall + timedelta(minutes=1))


def _whenever_it_comes(said: Said) -> PlannerOutput:
    """An automation that tells of what they write; of both, where they may answer by mail and on Telegram."""
    said.need(CREATE)
    words = _names(said)
    shown = None if words else _shown(said)
    found = known(words, said.scene) if words else None
    if shown is not None:
        found = _by_shown(said)
    topic = words_about(said, "topic", "subject")
    if not words and found is None and not topic:
        raise Asking(say(WHOSE))
    where: list[dict[str, Any]] = []
    if words or found is not None:
        where = [sender(words, found).model_dump(mode="json")]
    else:
        where = [{"fact": "subject", "compare": "contains", "value": topic}]
    urgent = {"urgent": True} if URGENT.search(said.request.text) else {}
    about = found.name if found is not None else without_article(words) or topic
    events = _events(said, found, shown)
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


def _name(about: str, event: EventName, *, several: bool) -> str:
    way = say("Mail") if event is EventName.MAIL_RECEIVED else "Telegram"
    name = capital(say("Answer of {name}", name=about))[:60]
    return f"{name} ({way})" if several else name


def _events(said: Said, found: Person | None, shown: Referent | None) -> list[EventName]:
    """Whether a mail is waited for, a message, or either."""
    text = said.request.text
    if shown is not None:
        return [EventName.MAIL_RECEIVED if shown.kind is ReferentKind.MAIL else EventName.CHAT_RECEIVED]
    if BY_MAIL.search(text) or found is None:
        return [EventName.MAIL_RECEIVED]
    ways = found.ways()
    if Way.TELEGRAM in ways and (BY_TELEGRAM.search(text) or Way.MAIL not in ways):
        return [EventName.CHAT_RECEIVED]
    return [EventName.MAIL_RECEIVED, EventName.CHAT_RECEIVED] if Way.TELEGRAM in ways else [EventName.MAIL_RECEIVED]


BUILDERS: dict[str, Builder] = {"watch.answer": watch}
