"""Parts of a trigger: by whom something is, and the words that have to stand in it."""

import re
from dataclasses import dataclass
from datetime import time

from butler.contract.events import Compare, Condition, EventName
from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.people import Person, unknown
from butler.orchestrator.understanding.automations import trigger_words as words
from butler.orchestrator.understanding.people.who import KIN, PRONOUNS, without_article
from butler.orchestrator.understanding.said import bare

MOST_WORDS = 3
"""Of what a subject has to contain where it only names what comes: `an invoice`."""


@dataclass(frozen=True, slots=True)
class Trigger:
    """An event, what has to hold of it, and between which hours of the day."""

    event: EventName
    where: tuple[Condition, ...] = ()
    hours: tuple[time, time] | None = None
    name: str = ""
    """What tells it from the others where several were said at once."""


class LeftOver(Exception):
    """Words are left over, or nothing is understood at all."""


def holds(fact: str, value: str | int, compare: Compare = Compare.CONTAINS) -> Condition:
    """A condition on a fact."""
    return Condition(fact=fact, compare=compare, value=value)


def each_of(who: str) -> list[str]:
    """Everybody who is named, one by one."""
    return [one for part in words.OR.split(who) if (one := bare(part))]


def content_of(text: str) -> str:
    """What a text has to contain; a whole sentence is not looked for."""
    found = without_small(text)
    if len(found.split()) > MOST_WORDS or words.ANYTHING.search(found) or words.UNTIL.match(found):
        raise LeftOver
    return found


def without_small(text: str) -> str:
    """The words without small ones before and behind them."""
    found = bare(text.strip())
    while (first := words.SMALL.match(found)) and first[0] != found:
        found = bare(found[first.end() :])
    while (last := re.search(r"(?:^|\s)([\w']+)$", found)) and words.SMALL.fullmatch(last[1]):
        found = bare(found[: last.start()])
    return "" if words.SMALL.fullmatch(found) else found


def sure_name(name: str) -> None:
    """Raise `Asking` for somebody who cannot be told by what senders call themselves: `my boss`, `mum`, `him`."""
    called = without_article(name)
    own = words.POSSESSIVE.match(name) and "'s " not in name
    if called.casefold() in PRONOUNS | {"il", "ils"}:
        raise Asking(say("Who is “{word}”? Say the name or write the address.", word=called))
    if own or any(called.casefold() in kin for kin in KIN):
        raise unknown(lex(name if name.casefold().startswith("my ") else called))


def sender(name: str, person: Person | None) -> Condition:
    """Who has written it: a contact, an address, a domain, or somebody by the name that they give themselves."""
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
