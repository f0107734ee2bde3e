"""How the owner says which of many things on a card are meant: only these, these too, or all but these."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from functools import cache
from itertools import pairwise

from butler.contract.speech import phrase, say
from butler.orchestrator.edits.card_words import PACKAGE, card_words, words_of_kind
from butler.orchestrator.edits.narrower import later
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.understanding.act_words import words
from butler.orchestrator.understanding.mail.filters import ATTACHMENT, WITHOUT
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.things.named import POINTING, telling
from butler.orchestrator.understanding.things.pointing import pointing_words
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
from butler.understanding.stored_words import stored
from butler.understanding.times.lexicon import folded
from butler.understanding.times.saying import TimeSaid


class Way(StrEnum):
    """Which ones are meant, by those that are named."""

    ONLY = "only"
    ALSO = "also"
    WITHOUT = "without"


NAMING = frozenset(
    {"from", "with", "to", "topic", "subject", "title", "query", "time", "time_of", "age", "filter", "folder", "label",
     "account", "list", "board"}
)  # fmt: skip
"""Slots that say which ones are meant."""
TIMES = ("time", "time_of")
CONTRADICTING = phrase(
    "I am not sure whether only these are meant, or all but these. Say it like “only those from Anna” or “not those "
    "from Anna”."
)
NOT_KNOWN = phrase("I cannot tell which ones are “{words}”. Say it otherwise, or tap Deny and ask me anew.")
A_WEEK = timedelta(7)
CLAUSES = re.compile(rf"[,;.!?:–—-]+\s+|\s+(?={card_words('because').pattern})", re.IGNORECASE)
OF_EVENTS, OF_CARDS = ("all_day", "by_me", "by_others", "series"), ("mine",)
"""Kinds of words that say which events and which cards are meant."""


def says_kind(request: Request, kind: str) -> bool:
    """Return whether a word of a kind is said, such as an `only`, or an `instead`."""
    return words_of_kind(kind, request.language).search(folded_alike(outside(request))) is not None


def leaves_out(request: Request) -> bool:
    """Return whether something is left out, wherever that is said; a `no` that begins the reply says nothing of it."""
    said = _without_answer(folded_alike(outside(request)))
    return (words_of_kind(Way.WITHOUT, request.language).search(said) or card_words("apart").search(said)) is not None


def leaves_out_first(request: Request) -> bool:
    """Return whether the first clause leaves something out: `all but the last ten`."""
    said = _without_answer(folded_alike(outside(request))).strip()
    return words_of_kind(Way.WITHOUT, request.language).search(CLAUSES.split(said, maxsplit=1)[0]) is not None


def ways(request: Request) -> Sequence[tuple[Way, bool, tuple[SlotWords, ...]]]:
    """Return the slots by how they are meant, in order; the flag tells whether that was said of any of them so far.

    Without a word for it, slots are meant like those before them, and the first ones are meant only. Raises `Asking`
    if two words contradict each other.
    """
    found: list[tuple[Way, bool, tuple[SlotWords, ...]]] = []
    way, spoken = Way.ONLY, False
    for slot, said in _said_of_each(request):
        if said is not None:
            way, spoken = said, True
        if found and found[-1][0] is way:
            found[-1] = (way, found[-1][1], (*found[-1][2], slot))
        else:
            found.append((way, spoken, (slot,)))
    return found


def _said_of_each(request: Request) -> Sequence[tuple[SlotWords, Way | None]]:
    """Return the slots that say which ones are meant, in order, each with the way that is said before or behind it."""
    said, language = _without_answer(folded_alike(outside(request))), request.language
    slots = sorted((one for one in request.slots if one.slot in NAMING), key=lambda one: one.start)
    found: list[tuple[SlotWords, Way | None]] = []
    at, before, behind = 0, None, None
    apart = card_words("apart").search(said)
    for number, slot in enumerate(slots):
        lead = said[at : slot.start]
        # "without attachments" is a state that mails have, and leaves nothing out.
        fileless = WITHOUT.search(lead) if ATTACHMENT.search(slot.text) else None
        # "not older than a month" leaves nothing out either.
        aged = words("younger").search(lead) if slot.slot in {"age", "time"} else None
        stated = fileless or (aged if aged is not None and (slot.slot == "age" or " " in aged[0]) else None)
        before = _before(lead[: stated.start()] if stated else lead, language)
        before = Way.WITHOUT if apart is not None and apart.start() <= slot.start < apart.end() else before
        after, at = _clause_behind(said, slot, slots[number + 1 :])
        behind = _behind(after, language)
        found.append((slot, _one_of(before, behind)))
    if behind is not None and before is None and all(way is None for _, way in found[:-1]):
        # What is said behind the last one is said of all of them: `those from Bob and Anna too`.
        return [(slot, behind) for slot, _ in found]
    return found


def _one_of(before: Way | None, behind: Way | None) -> Way | None:
    """Return the way that is meant of the two that are said before and behind a slot; raise `Asking` for no sense."""
    if {before, behind} == {Way.ONLY, Way.WITHOUT}:
        raise Asking(say(CONTRADICTING))
    return Way.WITHOUT if Way.WITHOUT in {before, behind} else before or behind


def _clause_behind(said: str, slot: SlotWords, later: Sequence[SlotWords]) -> tuple[str, int]:
    """Return the rest of the clause behind a slot if no other is in it, and where the words before the next begin."""
    if not later:
        return _last_clause(said[slot.end :]), len(said)
    end = CLAUSES.search(said, slot.end, later[0].start)
    return (said[slot.end : end.start()], end.end()) if end is not None else ("", slot.end)


def _last_clause(said: str) -> str:
    """Return the rest of a clause, or if there is none the next one if it says only which are meant: `Anna's: keep`."""
    rest, *more = CLAUSES.split(said, maxsplit=2)
    alone = more[0].strip(" .!?") if more and not rest.strip() else ""
    return alone if any(words_of_kind(kind).fullmatch(alone) for kind in (*Way, "answer")) else rest


def _behind(said: str, language: str) -> Way | None:
    """Return the way that is said behind slots: `those from Bob too`, `die mit Anhang bitte nicht`."""
    found = _ways_in(CLAUSES.split(said, maxsplit=1)[0], language)
    return found[-1] if found and found[-1] in {Way.ALSO, Way.WITHOUT} else None


def _without_answer(said: str) -> str:
    """Return the same with blanks in the place of a `no` that answers the card: `no, only mine`."""
    found = words_of_kind("answer").match(said)
    answers = found is not None and said[found.end() : found.end() + 1] in {",", ".", "!", ";", ":"}
    return " " * (found.end() + 1) + said[found.end() + 1 :] if found is not None and answers else said


def ways_said(request: Request) -> bool:
    """Return whether it is said how those that are named are meant."""
    return any(spoken for _, spoken, _ in ways(request))


def flags(request: Request, kinds: Sequence[str]) -> Mapping[str, Way]:
    """Return which of these kinds of words are said anywhere, and how: `the all-day ones`, `not mine`."""
    text, said = folded_alike(request.text), _without_answer(folded_alike(outside(request)))
    found: dict[str, Way] = {}
    for kind in kinds:
        match = words_of_kind(kind).search(text)
        if match is not None:
            before, behind = said[: match.start()], said[match.end() :]
            way = _one_of(_before(before, request.language), _behind(behind, request.language))
            found[kind] = Way.WITHOUT if card_words("apart").search(said) else way or Way.ONLY
    return found


def flag_spans(request: Request, kinds: Sequence[str]) -> Sequence[tuple[int, int]]:
    """Return where words of these kinds stand."""
    text = folded_alike(request.text)
    return [match.span() for kind in kinds for match in words_of_kind(kind).finditer(text)]


def unread_words(request: Request) -> str:
    """Return the words outside of slots that say something which nothing was made of; empty if there are none."""
    said = without_reasons(request)
    for kind in (*OF_EVENTS, *OF_CARDS, *Way, "instead"):
        said = words_of_kind(kind).sub(lambda found: " " * len(found[0]), said)
    return telling(said, POINTING, pointing_words(), _around())


def without_reasons(request: Request) -> str:
    """Return the words outside of slots without clauses that only give a reason: `hers too, she is family`."""
    said = folded_alike(outside(request))
    starts = [0, *(match.end() for match in CLAUSES.finditer(said)), len(said)]
    kept = said[: starts[1]]
    for start, end in pairwise(starts[1:]):
        clause = said[start:end]
        marked = any(start <= slot.start < end for slot in request.slots)
        says_how = any(words_of_kind(way, request.language).search(clause) for way in Way)
        kept += clause if marked or says_how or not words_of_kind("reason").match(clause.lstrip()) else ""
    return kept


def outside(request: Request) -> str:
    """Return the text with blanks in place of the slots that say which ones are meant, or point at them."""
    text = request.text
    for slot in request.slots:
        text = text[: slot.start] + " " * (slot.end - slot.start) + text[slot.end :]
    return text


def folded_alike(text: str) -> str:
    """Return a text without case and accents, letter for letter, so that places in it stay."""
    return "".join(plain if len(plain := folded(letter)) == 1 else letter for letter in text)


def named_by_weekday(said: Said) -> bool:
    """Return whether a day is named by its weekday alone, so that it is one of the time that is spoken of."""
    found = _time(said)
    after = _time(replace(said, scene=later(said.scene, A_WEEK))) if found is not None else None
    if found is None or found.day is None or after is None or after.day is None or _is_counted(said):
        return False
    return found.weekday or after.day - found.day == A_WEEK


def counted_from_today(said: Said) -> bool:
    """Return whether days are counted from the one on which this is said: `tomorrow afternoon`."""
    found = _time(said)
    return found is not None and not found.weekday and found.day is not None and _is_counted(said)


def _is_counted(said: Said) -> bool:
    """Return whether words such as `next` or `in three days` count from today."""
    words = folded_alike(" ".join(one for slot in TIMES for one in said.request.words(slot)))
    return words_of_kind("counted").search(words) is not None


def _time(said: Said) -> TimeSaid | None:
    slot = next((one for one in TIMES if said.has(one)), "")
    try:
        return said.when(slot) if slot else None
    except Asking:
        return None


def _before(said: str, language: str) -> Way | None:
    """Return the way that is said before a slot; raise `Asking` for `leave only`, or `keep all except`."""
    found = _ways_in(CLAUSES.split(said)[-1], language) or _ways_in(said, language)
    if found[-2:] in ([Way.WITHOUT, Way.ONLY], [Way.WITHOUT, Way.WITHOUT]):
        raise Asking(say(CONTRADICTING))
    return found[-1] if found else None


def _ways_in(said: str, language: str) -> list[Way]:
    """Return the ways that words say, in order; of words that overlap, the first and longest one counts."""
    found = sorted(
        ((match.start(), -len(match[0]), way) for way in Way for match in words_of_kind(way, language).finditer(said)),
    )
    ways: list[Way] = []
    at = 0
    for start, length, way in found:
        if start >= at:
            ways.append(way)
            at = start - length
    return ways


@cache
def _around() -> frozenset[str]:
    return frozenset(word for one in stored(PACKAGE, "ways", "around") for word in folded(one).split())
