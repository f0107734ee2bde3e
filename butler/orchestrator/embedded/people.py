"""Finds the people in the owner's words: only confirmed contacts by alias, and addresses that the words hold.

The words around names are in `people.toml`.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import reduce

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import Phrases, Tail
from butler.orchestrator.embedded.scene import Scene, words_of
from butler.orchestrator.embedded.table_words import phrases_of, word_set
from butler.store.queries.contacts import Contact, normal
from butler.understanding.stored_words import stored

MAIL = re.compile(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+")
HANDLE = re.compile(r"@\w{4,32}", re.ASCII)
NUMBER = re.compile(r"telegram:\d+", re.IGNORECASE)
LONGEST_TITLE = 4
"""Most words of a chat's title before its noun."""


class Way(StrEnum):
    """The kinds of address that a message in the person's name can go to."""

    TELEGRAM = "telegram"
    MAIL = "mail"

    @property
    def tool(self) -> str:
        """The tool that sends this way."""
        return "user_telegram_send_message" if self is Way.TELEGRAM else "user_email_send_message"

    @property
    def label(self) -> str:
        """The label of this way on a button."""
        return "Telegram" if self is Way.TELEGRAM else say("Mail")


@dataclass(frozen=True, slots=True)
class Person:
    """A person whom the words name: contacts with that alias, or a literal address such as `mail:...`."""

    said: str
    contacts: tuple[Contact, ...] = ()
    address: str = ""

    @property
    def name(self) -> str:
        """The contact's own name if there is just one, else the words."""
        return self.contacts[0].name if len(self.contacts) == 1 else self.said

    def ways(self) -> tuple[Way, ...]:
        """Return the ways to reach this person."""
        if self.address:
            return (Way(self.address.split(":", 1)[0]),)
        return tuple(way for way in Way if any(c.address(way) for c in self.contacts))


def person_at(tail: Tail, scene: Scene) -> tuple[Person, Tail] | None:
    """Return the person named here and the following words; the longest alias wins."""
    literal = tail.written()
    if MAIL.fullmatch(literal) and literal.isprintable():
        return Person(literal, address=f"mail:{literal}"), tail.skip()
    if HANDLE.fullmatch(literal):
        return Person(literal, address=f"telegram:{literal}"), tail.skip()
    if NUMBER.fullmatch(literal):
        return Person(literal, address=literal.lower()), tail.skip()
    if (found := _alias(tail, scene)) is not None:
        return found
    inner = _alias(tail.skip(), scene) if tail.word() in _words("articles") else None
    if inner is None or tail.word() in _words("my"):
        return inner
    chat = inner[1].take(_phrases("chat"))
    return (inner[0], chat) if chat else None


def _alias(tail: Tail, scene: Scene) -> tuple[Person, Tail] | None:
    for length in range(min(scene.longest, tail.end - tail.at), 0, -1):
        key = tuple(tail.word(n) for n in range(length))
        if (contacts := scene.people.get(key)) is not None:
            after = tail.skip(length)
            return Person(tail.until(after).text, contacts), after
    return None


def people_at(tail: Tail, scene: Scene) -> tuple[tuple[Person, ...], Tail] | None:
    """Return everybody named here (`Anna, Bob and Carol`) and the following words.

    A comma joins an address, or two people if an `and` closes the list; else the message follows it.
    """
    first = person_at(tail.past(_phrases("both")), scene)
    if first is None:
        return None
    people, after, sure, sure_after = [first[0]], first[1], 1, first[1]
    while True:
        joined = after.take(_phrases("and"))
        rest = joined or (after.skip() if after.word() == "," else None)
        found = person_at(rest, scene) if rest else None
        if rest is None or found is None:
            if joined is not None and joined.written()[:1].isupper() and joined.word() not in _words("openers"):
                raise unknown(joined)
            return tuple(people[:sure]), sure_after
        people.append(found[0])
        after = found[1]
        if joined is not None or found[0].address:
            sure, sure_after = len(people), after


def unknown(tail: Tail) -> Asking:
    """Return the question about a name that no confirmed contact has."""
    name = unknown_name(tail)
    return Asking(
        say(
            "I don't know anybody called {name}. Write the address, or add {name} under [[contacts]] in butler.toml.",
            name=name,
        ),
        stranger=name,
    )


def unknown_name(tail: Tail) -> str:
    """Return the words here that look like a name: capitalised words, `my` or `the` with a word, or one word."""
    if (chat := _chat_name(tail)) is not None:
        return chat
    if tail.word() in _words("before_one"):
        return tail.until(tail.skip(2)).text
    here = tail.skip()
    if here.done:
        return reduce(str.removesuffix, _stored("possessives"), tail.text)
    if tail.word().endswith(_stored("possessive_ends")):
        here = here.skip()
    while here.written()[:1].isupper() and here.word() not in _words("openers"):
        here = here.skip()
    return tail.until(here).text


def _chat_name(tail: Tail) -> str | None:
    """Return the name of a chat such as `the climbing group`; None if this is no chat."""
    if tail.word() not in _words("articles"):
        return None
    start = here = tail.skip()
    while here.word() not in _words("no_name") and not here.done and here.at - start.at < LONGEST_TITLE:
        here = here.skip()
        if here.take(_phrases("chat")) is not None:
            return start.until(here).text
    return None


def names_for(contact: Contact, scene: Scene, ways: tuple[Way, ...]) -> list[str]:
    """Return words for this contact and nobody else: an alias of their own, else their addresses."""
    for alias in contact.aliases:
        if scene.people.get(words_of(alias)) == (contact,):
            return [alias]
    return [written(a) for way in ways if (a := contact.address(way))]


def written(address: str) -> str:
    """Return an address as the owner would write it."""
    kind, bare = address.split(":", 1)
    return bare if kind == "mail" or bare.startswith("@") else address


def reference(person: Person, scene: Scene) -> dict[str, str]:
    """Return a person as a plan refers to them."""
    if not person.address:
        return {"contact": person.contacts[0].contact_id}
    known = {a: c.name for c in scene.request.contacts for a in c.addresses}
    name = known.get(normal(person.address), "")
    return {"address": person.address, **({"name": name} if name else {})}


def join(names: list[str]) -> str:
    """Return names as a list in a request."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _phrases(kind: str) -> Phrases:
    return phrases_of("people", kind)


def _words(kind: str) -> frozenset[str]:
    return word_set("people", kind)


def _stored(kind: str) -> tuple[str, ...]:
    return stored("butler.orchestrator.embedded", "people", kind)
