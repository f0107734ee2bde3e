"""Finds the people, groups and addresses for the words that the reader marked."""

import re
from collections.abc import Callable, Iterator

from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.lexer import lex
from butler.orchestrator.embedded.people import Person, person_at
from butler.orchestrator.embedded.scene import Scene, words_of
from butler.orchestrator.understanding.people.groups import group_contact, group_title, is_group, is_group_contact
from butler.orchestrator.understanding.people.people_words import group, plain
from butler.orchestrator.understanding.said import Said
from butler.store.queries.contacts import Contact
from butler.understanding.marked import SlotWords

BEFORE = re.compile(rf"^{group('before')}(?:\s+|(?<=['’]))", re.IGNORECASE)
ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
ADDRESS_BEHIND = re.compile(rf"[\s(<,:–-]*(?:\w{{1,3}},?\s+)?<?({ADDRESS.pattern})")
"""An address behind the name of whoever has it: `Mrs Patel (r.patel@school.example)`."""
AND = re.compile(rf"\s*(?:,|&|\+|\b{group('and')}\b|(?<=\s)['’]?{group('and_short')}['’]?(?=\s))\s*", re.IGNORECASE)
PRONOUNS = frozenset(plain("pronouns"))
RELATIONS = ("mother", "father", "brother", "sister", "husband", "wife", "boss", "grandmother", "grandfather")
KIN = tuple(frozenset(plain(kind)) for kind in RELATIONS)
"""The words for each of the owner's relations."""


def people(said: Said, slot: str = "to") -> tuple[Person, ...]:
    """Return everybody whom a slot names; raise `Asking` for somebody unknown or a pronoun."""
    found: dict[str, Person] = {}
    for marked in said.request.slots:
        if marked.slot != slot:
            continue
        for one in _each(with_address(marked, said), said.scene):
            found.setdefault(one.said.casefold(), one)
    return tuple(found.values())


def with_address(marked: SlotWords, said: Said) -> str:
    """Return the words for somebody, or for somebody unknown the address that stands right behind the name."""
    address = ADDRESS_BEHIND.match(said.request.text, marked.end)
    named = bool(address) and known(marked.text.strip(" (<"), said.scene) is None
    return address[1] if address is not None and named else marked.text


def _each(words: str, scene: Scene) -> Iterator[Person]:
    """Yield the people in `Anna and Bob` if both are known; a group may have an `and` in its name."""
    parts = [one for one in AND.split(words) if one.strip()]
    several = [known(one, scene) for one in parts] if len(parts) > 1 and known(words, scene) is None else []
    if several and all(several):
        yield from (one for one in several if one is not None)
    else:
        yield person(words, scene)


def each_named(words: str, knows: Callable[[str], bool]) -> tuple[str, ...]:
    """Return the names in words for several people, such as `bob n carol`, if any is known; else the words.

    Args:
        words: The words for one recipient or several.
        knows: Whether a name belongs to somebody.
    """
    names = tuple(one for one in AND.split(words) if one.strip())
    return names if len(names) > 1 and not knows(words) and any(map(knows, names)) else (words,)


def person(words: str, scene: Scene) -> Person:
    """Return one person or group; raise `Asking` if it is unknown or a pronoun."""
    name = without_article(words)
    if is_pronoun(words):
        raise Asking(say("Who is “{word}”? Say the name or write the address.", word=name))
    found = known(words, scene)
    if found is None:
        raise stranger(group_title(words) or name)
    return found


def is_pronoun(words: str) -> bool:
    """Return whether the words are a pronoun, without a name."""
    return without_article(words).casefold() in PRONOUNS


def is_named(contact: Contact, text: str) -> bool:
    """Return whether a text has one of the contact's names."""
    names = (*contact.aliases, contact.name)
    return any(re.search(rf"(?<!\w){re.escape(one)}(?!\w)", text, re.IGNORECASE) for one in names if one)


def stranger(name: str) -> Asking:
    """Return the question about a name that no confirmed contact has."""
    return Asking(
        say(
            "I don't know anybody called {name}. Write the address, or add {name} under [[contacts]] in butler.toml.",
            name=name,
        ),
        stranger=name,
    )


def known(words: str, scene: Scene) -> Person | None:
    """Return one person or group; None if it is not confirmed."""
    name = without_article(words)
    of_whom = name.removesuffix("'s").removesuffix("’s")
    for said in (words, name, of_whom, name.removesuffix("s"), *_kin(name), _last_name(name)):
        tail = lex(said)
        found = person_at(tail, scene) if said else None
        if found is not None and found[1].done and _fits(found[0], words):
            return found[0]
    if (group := group_contact(words, "", scene)) is not None:
        return Person(name, (group,))
    first = words_of(name)[:1]
    contacts = scene.people.get(first) if first and len(words_of(name)) > 1 and not is_group(words) else None
    return Person(name, contacts) if contacts and not name[:1].isupper() and not AND.search(name) else None


def _fits(person: Person, words: str) -> bool:
    """Return whether a group was named as one: `the Anna group` is not Anna, but `Groupe Dupont` may be a firm."""
    named = (alias for contact in person.contacts for alias in (contact.name, *contact.aliases))
    groups = any(map(is_group_contact, person.contacts)) or any(map(is_group, named))
    return groups or bool(person.address) or not is_group(words)


def without_article(words: str) -> str:
    """Return a name without the articles, possessives and prepositions before it."""
    name = words.strip(' ,:;.!?"“”„«»')
    while (shorter := BEFORE.sub("", name, count=1)) != name and shorter:
        name = shorter
    return name


OF_SOMEBODY = frozenset(plain("of_somebody"))
"""Words between a relation and a person: `hermano de Anna` is not Anna."""


def _last_name(name: str) -> str:
    """Return the name after lower-case words for a role (`collègue Bob`); empty for anything else."""
    words = name.split()
    named = len(words) > 1 and words[-1][:1].isupper() and all(word.islower() for word in words[:-1])
    named = named and not OF_SOMEBODY & set(words)
    return words[-1] if named else ""


def _kin(name: str) -> tuple[str, ...]:
    """Return other words for the same relation."""
    folded = name.casefold()
    return tuple(other for group in KIN if folded in group for other in sorted(group - {folded}))
