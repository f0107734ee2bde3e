"""Builds parts of a trigger: the sender, and the words that a text must contain."""

import re
from dataclasses import dataclass
from datetime import time

from butler.contract.events import Compare, Condition, EventName
from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.people import Person, unknown
from butler.orchestrator.understanding import trigger_words as words
from butler.orchestrator.understanding.people.who import KIN, PRONOUNS, without_article
from butler.orchestrator.understanding.said import bare

MOST_WORDS = 3
"""The most words of a subject that names what comes: `an invoice`."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """An event, its conditions, and the hours of the day in which it counts."""

    event: EventName
    where: tuple[Condition, ...] = ()
    hours: tuple[time, time] | None = None
    name: str = ""
    """The trigger's distinguishing words if there are several."""


class LeftOver(Exception):
    """Words of a trigger were not understood, or none were."""


def holds(fact: str, value: str | int, compare: Compare = Compare.CONTAINS) -> Condition:
    """Return a condition on a fact."""
    return Condition(fact=fact, compare=compare, value=value)


def each_of(who: str) -> list[str]:
    """Return all named people, one by one."""
    return [one for part in words.OR.split(who) if (one := bare(part))]


def content_of(text: str) -> str:
    """Return the words that a text must contain; raise `LeftOver` for a whole sentence."""
    found = without_small(text)
    if len(found.split()) > MOST_WORDS or words.ANYTHING.search(found) or words.UNTIL.match(found):
        raise LeftOver
    return found


def without_small(text: str) -> str:
    """Return the words without small words at either end."""
    found = bare(text.strip())
    while (first := words.SMALL.match(found)) and first[0] != found:
        found = bare(found[first.end() :])
    while (last := re.search(r"(?:^|\s)([\w']+)$", found)) and words.SMALL.fullmatch(last[1]):
        found = bare(found[: last.start()])
    return "" if words.SMALL.fullmatch(found) else found


def sure_name(name: str) -> None:
    """Raise `Asking` for people who do not call themselves so as senders: `my boss`, `mum`, `him`."""
    called = without_article(name)
    own = words.POSSESSIVE.match(name) and "'s " not in name
    if called.casefold() in PRONOUNS | {"il", "ils"}:
        raise Asking(say("Who is “{word}”? Say the name or write the address.", word=called))
    if own or any(called.casefold() in kin for kin in KIN):
        raise unknown(lex(name if name.casefold().startswith("my ") else called))


def sender(name: str, person: Person | None) -> Condition:
    """Return the condition on the sender: a contact, an address, a domain, or a sender's own name."""
    if person is not None and person.address:
        return Condition(fact="sender", value=person.address)
    if person is not None:
        names = tuple(dict.fromkeys(contact.name for contact in person.contacts))
        if len(names) > 1:
            return Condition(fact="contact", compare=Compare.ANY_OF, value=names)
        return Condition(fact="contact", value=person.name)
    called = without_article(name)
    if words.STRANGER.fullmatch(called):
        return Condition(fact="contact", value="")
    if domain := words.DOMAIN.fullmatch(called):
        return Condition(fact="domain", value=domain[1].casefold())
    sure_name(name)
    return holds("sender_name", re.sub(r"['’]s$", "", called.rpartition("'s ")[2]))
