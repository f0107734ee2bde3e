"""Finds the senders of the mails that are meant: contacts, other names, descriptions, and the last mail's writer."""

import re
from collections.abc import Collection
from dataclasses import dataclass

from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded.people import HANDLE as ADDRESS
from butler.orchestrator.embedded.people import MAIL, Person, Way
from butler.orchestrator.understanding.mail.mail_words import group, patterns, plain
from butler.orchestrator.understanding.people.who import BEFORE, is_pronoun, known, without_article
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.things.named import POINTING, telling
from butler.orchestrator.understanding.things.pointing import pointed, pointing_words
from butler.orchestrator.understanding.things.refs import shown_alone
from butler.understanding.marked import SlotWords
from butler.understanding.times.lexicon import folded

ARTICLE_BEFORE = re.compile(rf"\b{group('article_before')}\s*$|{group('article_elided')}$", re.IGNORECASE)
PROMOTIONS = patterns("promotions")
GENITIVE = re.compile(r"['’]s?$")
POSSESSIVE = re.compile(rf"{group('their')}\b", re.IGNORECASE)
DENIED = re.compile(rf"(?<!\w){group('denied')}(?: {group('denied_from')})?\W*$")
"""Words that exclude the following sender."""
DENIED_BEHIND = re.compile(rf"\s+{group('denied_behind')}\s*(?:[,.;!?]|$)")
EXCEPT = re.compile(rf"(?<!\w){group('except')}(?:\W+\w+){{0,4}}\W*$")
OF_WRITER = re.compile(rf"(?<!\w){group('of_writer')}(?!\w)")
KINDS = frozenset({ReferentKind.MAIL})
SHORTEST = 3
"""The least number of letters left of a compound such as `Stromfirma`."""


def told_of(said: Said) -> str:
    words = " ".join(said.request.words("ref"))
    if said.language == "de":
        words = re.sub(rf"(?<=\w{{{SHORTEST}}})(?:s?{group('noun_tails')}s?)\b", "", words, flags=re.IGNORECASE)
    found = telling(words, POINTING, pointing_words(), frozenset(plain("nouns")))
    found = " ".join(word for word in found.split() if len(word) > 1)
    is_called_by_kind = folded(words).split()[:1] and folded(words).split()[0] in plain("these")
    return "" if is_called_by_kind and PROMOTIONS.fullmatch(found.rstrip("s")) else found


@dataclass(frozen=True, slots=True)
class Sender:
    """A sender: a known person, or words for an unknown one."""

    person: Person | None = None
    name: str = ""
    is_named: bool = False
    """Whether the words are a name (`Northwind`), not a description (`the power company`)."""

    @property
    def address(self) -> str:
        """The sender for a search in a mailbox: an address, or words of the name."""
        if self.person is None:
            return self.name
        own = next((found for one in self.person.contacts if (found := one.address(Way.MAIL))), "")
        return (self.person.address or own).removeprefix("mail:") or self.person.said


def senders(said: Said, *, leaving_out: bool = False) -> list[Sender]:
    """Return all senders whose mails are meant, or those that are excluded.

    A pronoun names nobody, unless the message names somebody else and no single mail was shown that it may mean.
    """
    slot = "from" if said.has("from") else "with"
    every = [one for one in said.request.slots if one.slot == slot]
    marked = [one for one in every if not is_writer(one.text)]
    marked = [one for one in marked if names_somebody(one)] or marked
    out = [_is_left_out(one, said) for one in marked]
    found = [_sender(one, said) for one, left_out in zip(marked, out, strict=True) if left_out is leaving_out]
    if found or leaving_out:
        return found
    person = known(told_of(said), said.scene) if said.has("ref") and not marked else None
    spoken_of = len(marked) < len(every) or POSSESSIVE.match(said.words("ref"))
    if person is None and ((spoken_of and shown_alone(said, KINDS) is None) or any(out)):
        person = named_alone(said, [one.text for one in marked])
    return [Sender(person, person.said)] if person is not None else []


def names_somebody(one: SlotWords) -> bool:
    """Return whether words identify somebody, unlike `ese de`."""
    return bool(telling(one.text, POINTING, pointing_words()))


def named_alone(said: Said, others: Collection[str] = ()) -> Person | None:
    """Return the only person whom a message names besides others: `write to Bob …, and tell me when he answers`.

    Bob is not named by another's longer name, such as `Bob Smith`.
    """
    text = said.whole
    for name in filter(str.strip, others):
        text = text.replace(name, " ")
    not_meant = {
        contact.contact_id
        for name in others
        if (one := known(GENITIVE.sub("", name), said.scene))
        for contact in one.contacts
    }
    named = {
        contact.contact_id: Person(alias, (contact,))
        for contact in said.scene.request.contacts
        for alias in contact.aliases
        if contact.contact_id not in not_meant and re.search(rf"(?<!\w){re.escape(alias)}(?!\w)", text, re.IGNORECASE)
    }
    return next(iter(named.values())) if len(named) == 1 else None


def _is_left_out(one: SlotWords, said: Said) -> bool:
    """Return whether a sender is excluded: `all but those from Anna`, `no, not from Bob`."""
    before, after = folded(said.request.text[: one.start]), folded(said.request.text[one.end :])
    return bool(EXCEPT.search(before) or DENIED.search(before) or DENIED_BEHIND.match(after))


def speaks_of_writer(said: Said) -> bool:
    """Return whether the words mean the shown mail's writer: `everything from them`."""
    way = pointed(" ".join(said.request.words("ref")), said.language)
    if said.has("ref") and not way.every:
        return False
    within = OF_WRITER.search(folded(said.request.text))
    return any(map(is_writer, said.request.words("from"))) or within is not None


def is_writer(words: str) -> bool:
    """Return whether words mean the shown mail's writer: `them`, `the sender`."""
    return is_pronoun(words) or folded(without_article(words)) in plain("writers")


def _sender(one: SlotWords, said: Said) -> Sender:
    person = known(one.text, said.scene)
    if person is not None:
        return Sender(person, person.said)
    name = GENITIVE.sub("", without_article(one.text))
    short = called(name)
    described = short != name or BEFORE.match(one.text) or ARTICLE_BEFORE.search(said.request.text[: one.start])
    return Sender(None, short, is_named=not described or _is_address(name))


def _is_address(name: str) -> bool:
    return MAIL.fullmatch(name) is not None or ADDRESS.fullmatch(name) is not None or "." in name.strip(".")


def called(name: str) -> str:
    """Return a sender without words for its kind: `parcel` for `the parcel people`, `Strom` for `Stromfirma`."""
    tails = group("kind_tails")
    short = [re.sub(rf"(?<=\w{{{SHORTEST}}})s?{tails}$", "", word, flags=re.IGNORECASE) for word in name.split()]
    return telling(" ".join(short), frozenset(plain("kinds"))) or name
