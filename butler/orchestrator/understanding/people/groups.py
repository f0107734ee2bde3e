"""Recognizes groups that the owner describes: `the climbing lot`, `Familiengruppe`, `los de escalada`.

A group is no contact. A running plan compares its name with the titles of the owner's groups, together with words of
the same meaning in other languages.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from butler.contract.chat_words import NOUNS, TAILS, alike, folded, same_words, telling
from butler.contract.tables import table
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.understanding.people.people_words import plain
from butler.store.queries.contacts import Contact
from butler.understanding.tables import LANGUAGES

MOST = 20
"""The most names of one group."""
IN_TELEGRAM = "telegram:-"
"""The prefix of groups' addresses."""
SHORTEST = 5
"""The least letters of a word that is compared with other forms."""
WORD = re.compile(r"\w+")
CLAUSE = re.compile(r"[,;.:!?]")
ARTICLES = frozenset(plain("articles"))


@dataclass(frozen=True, slots=True)
class Group:
    """A group by the owner's words for it, and by all words that its title may be compared with."""

    said: str
    called: tuple[str, ...]


def group_of(words: str, before: str, language: str) -> Group | None:
    """Return the group that is named; None if the words may name a person.

    Args:
        words: The words for the recipient.
        before: The words before them.
        language: Their language.
    """
    named = is_group(words) or _is_written_into(before) or _is_several(words, language)
    return Group(words, called(words, language)) if named else None


def is_group(words: str) -> bool:
    """Return whether the words hold a noun for a chat, such as `group`, or end with it, such as `Familiengruppe`."""
    return any(word in NOUNS or word.endswith(TAILS) for word in WORD.findall(folded(words)))


def group_title(words: str) -> str:
    """Return a group's identifying words: `family` for `the family group`; empty if no group is named."""
    return " ".join(telling(words)) if is_group(words) else ""


def called(words: str, language: str) -> tuple[str, ...]:
    """Return possible names of a group: the owner's words, then words of the same meaning in any language."""
    every = telling(words)
    about = [word for word in every if word not in _several() | _all_of("those")] or every
    kinds = [_kinds_of(word, language) for word in about]
    names = [words, " ".join(about)]
    names += [
        " ".join(k[0][other][0] if k else word for word, k in zip(about, kinds, strict=True)) for other in LANGUAGES
    ]
    if len(about) == 1:
        names += [word for kind in kinds[0] for other in LANGUAGES for word in kind[other]]
    return tuple(dict.fromkeys(name for name in names if name))[:MOST]


def group_within(text: str, language: str) -> str:
    """Return the words for a group that a sentence names in passing: `I haven't read the climbing group for a week`."""
    words = list(WORD.finditer(text))
    for at, noun in enumerate(words):
        if not is_group(noun[0]):
            continue
        if telling(noun[0]) and folded(noun[0]) not in NOUNS:
            return noun[0]
        before, behind = words[at - 1] if at and language == "en" else None, at + 1
        while behind < len(words) and folded(words[behind][0]) in _between(language) | ARTICLES:
            behind += 1
        for one in (before, words[behind] if behind < len(words) else None):
            between = text[noun.end() : one.start()] if one is not None and one.start() > noun.start() else ""
            if one is not None and not CLAUSE.search(between) and telling(one[0]) and folded(one[0]) not in ARTICLES:
                return f"{one[0]} {noun[0]}" if one is before else text[noun.start() : one.end()]
    return ""


def group_contact(words: str, language: str, scene: Scene) -> Contact | None:
    """Return the only contact that is a group with such a name; None if there is none, or several."""
    names = [telling(name) for name in called(words, language)]
    fitting = [
        contact
        for contact in scene.request.contacts
        if is_group_contact(contact)
        and any(same_words(telling(alias), name) for alias in (contact.name, *contact.aliases) for name in names)
    ]
    return fitting[0] if len(fitting) == 1 else None


def is_group_contact(contact: Contact) -> bool:
    """Return whether a contact stands for a group on Telegram."""
    return any(address.startswith(IN_TELEGRAM) for address in contact.addresses)


def _is_written_into(before: str) -> bool:
    last = WORD.findall(folded(before))[-1:]
    return bool(last) and before.rstrip().lower().endswith(last[0]) and last[0] in _all_of("into")


def _is_several(words: str, language: str) -> bool:
    """Return whether the recipient's main words mean several people."""
    every = WORD.findall(folded(words))
    between = _between(language)
    cut = next((n for n, word in enumerate(every) if n and word in between), len(every))
    head = every[:cut]
    if len(head) == 1 and cut < len(every) and head[0] in _all_of("those"):
        return True
    if head[:1] and head[0] in _all_of("others"):
        return False
    if any({*head} & {*one["before"].split()} and {*head} & {*one["words"].split()} for one in _table("persons")):
        return False
    if language != "en":
        return any(map(_is_people, head))
    return any(map(_is_people, head[-1:])) or (head[:1] != head[-1:] and head[0] in _all_of("first"))


def _between(language: str) -> frozenset[str]:
    by_language: Mapping[str, str] = _table("between")
    return frozenset(by_language[language].split()) if language in by_language else _all_of("between")


def _is_people(word: str) -> bool:
    """Return whether a word stands for several people, or for what they have in common."""
    tails = tuple(_all_of("several_tails"))
    return word in _several() or word.endswith(tails) or _is_kind(word)


def _is_kind(word: str) -> bool:
    institutions = _table("institutions")["kinds"].split()
    kinds: Mapping[str, Mapping[str, str]] = _table("kinds")
    return any(
        word in kind[language].split()
        for name, kind in kinds.items()
        if name not in institutions
        for language in LANGUAGES
    )


def _kinds_of(word: str, language: str) -> list[Mapping[str, tuple[str, ...]]]:
    """Return the topics of a word: in its own language, else in any; else by another form of the word."""
    spoken = [kind for kind in _kinds() if word in kind.get(language, ())]
    anywhere = [kind for kind in _kinds() if any(word in kind[other] for other in LANGUAGES)]
    if spoken or anywhere or len(word) < SHORTEST:
        return spoken or anywhere
    return [kind for kind in _kinds() if any(alike(word, one) for other in LANGUAGES for one in kind[other])]


@cache
def _kinds() -> tuple[Mapping[str, tuple[str, ...]], ...]:
    kinds: Mapping[str, Mapping[str, str]] = _table("kinds")
    return tuple({language: tuple(kind[language].split()) for language in LANGUAGES} for kind in kinds.values())


@cache
def _all_of(name: str) -> frozenset[str]:
    by_language: Mapping[str, str] = _table(name)
    return frozenset(word for words in by_language.values() for word in words.split())


def _several() -> frozenset[str]:
    return _all_of("several")


def _table(name: str) -> Any:
    return table("butler.orchestrator.understanding.people", "groups")[name]
