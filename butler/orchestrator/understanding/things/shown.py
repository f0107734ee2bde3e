"""Finds the reminder, event or card that is meant: the one shown, made or mentioned last, or those pointed at.

A request without a word for it is about the last shown items of its kind, whatever else was shown since. If these are a
list and nothing selects an item, the owner is asked, with a button for each.
"""

import re

from butler.contract.referents import ReferentKind
from butler.contract.speech import say
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.understanding.act_words import only, says, without
from butler.orchestrator.understanding.said import Said, bare
from butler.orchestrator.understanding.things.named import PACKAGE, POINTING, telling
from butler.orchestrator.understanding.things.pointing import HANDLE, Pointed, pointed, pointed_within, pointing_words
from butler.orchestrator.understanding.things.refs import listed_of, outside, recent, several, which_of
from butler.store.conversation import Referent
from butler.understanding.stored_words import group_in
from butler.understanding.times.lexicon import folded, lexicon, tokens_of

PAIR = 2
DECLINE = "calendar.decline"
POSSESSIVE = re.compile(r"['’]s\b")
THIS_ONE = re.compile(rf"{group_in(PACKAGE, 'names', 'this_one')} (\w+)", re.IGNORECASE)


def meant(said: Said, kind: ReferentKind) -> tuple[Referent, ...]:
    """Return the shown things that a request is about, in order; none if none of the kind was shown. Raise `Asking`."""
    shown = recent(said, frozenset({kind}))
    if not shown:
        return ()
    spans = [words for words in said.request.words("ref") if points(words, said.language)]
    ways = [_way(words, said) for words in spans] or [_unmarked(said, kind)]
    found = [one for way in ways for one in _pointed_at(way, said, kind, shown)]
    return tuple({one.key: one for one in found}.values())


def one_meant(said: Said, kind: ReferentKind) -> Referent | None:
    """Return the one thing that is meant; None if none was shown. Raise `Asking` also if several were pointed at."""
    found = meant(said, kind)
    if len(found) > 1:
        raise which_of(said, found)
    return found[0] if found else None


def last_of(said: Said, kind: ReferentKind) -> Referent | None:
    """Return the one thing of a kind that was shown last; None if there was none, or several."""
    shown = recent(said, frozenset({kind}))
    return shown[0] if len(shown) == 1 else None


def points(words: str, language: str) -> bool:
    """Return whether words only point at something shown, and do not name it."""
    if HANDLE.search(words):
        return True
    left = without("nouns", telling(without("nouns", POSSESSIVE.sub("", bare(words))), POINTING))
    known, pointers = lexicon(language), pointing_words()
    return all(
        token in pointers or token[:1].isdigit() or {"number", "ordinal"} & known.phrases.get((token,), {}).keys()
        for token in tokens_of(folded(left))
        if any(map(str.isalnum, token))
    )


def _way(words: str, said: Said) -> Pointed:
    """Return how words point: `diesen Termin` is singular, and the people who get a refusal are no events."""
    one = THIS_ONE.fullmatch(bare(words))
    if one is not None and only("one_thing", one[1]):
        return Pointed()
    way = pointed(words, said.language)
    told = said.request.intent == DECLINE and way == Pointed(every=True) and not says("all", words)
    return Pointed() if told else way


def _unmarked(said: Said, kind: ReferentKind) -> Pointed:
    """Return how an unmarked request points: `archívalas`; a card asks before many things are changed."""
    if kind is ReferentKind.REMINDER or said.request.intent == DECLINE:
        return Pointed()
    way = pointed_within(outside(said), said.language)
    return Pointed(every=way.every, pair=way.pair)


def _pointed_at(way: Pointed, said: Said, kind: ReferentKind, shown: list[Referent]) -> tuple[Referent, ...]:
    kinds = frozenset({kind})
    if way.step and kind is ReferentKind.REMINDER:
        way = Pointed()  # `skip the next one` is its next time
    if way.pair and len(shown) > 1 and len(listed_of(said, kinds)) != PAIR:
        raise which_of(said, listed_of(said, kinds))
    if way == Pointed(either=way.either, how_many=way.how_many):
        if len(shown) > 1:
            raise which_of(said, shown)
        return tuple(shown)
    if len(shown) == 1 and way.numbers == (1,) and not listed_of(said, kinds):
        return tuple(shown)
    if len(shown) == 1 and (way.every or way.either):
        listed = listed_of(said, kinds)
        return tuple(listed if way.every and len(listed) > 1 else shown)
    if (
        len(way.numbers) == 1
        and not way.how_many
        and way.numbers[0] not in {one.ordinal for one in (*listed_of(said, kinds), *shown)}
    ):
        buttons = which_of(said, listed_of(said, kinds) or shown).unclear.choices
        raise Asking(say("There is no number {number} in the list.", number=way.numbers[0]), buttons)
    return several(said, kinds, way=way)
