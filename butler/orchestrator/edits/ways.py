"""How the owner says which of many things on a card are meant: only these, these too, or all but these."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from enum import StrEnum
from functools import cache
from itertools import pairwise

from butler.contract.tables import table
from butler.orchestrator.edits.narrower import later as moved
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.understanding.mail.filters import ATTACHMENT, WITHOUT
from butler.orchestrator.understanding.said import Said
from butler.orchestrator.understanding.things.named import POINTING, telling
from butler.orchestrator.understanding.things.pointing import pointing_words
from butler.understanding.marked import SlotWords
from butler.understanding.reader import Request
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
A_WEEK = timedelta(7)
APART = re.compile(r"\bnimm\b[^,;.]*\baus\b")
"""A German verb in two parts that leaves something out."""
CLAUSES = re.compile(r"[,;.!?:–—-]+\s+|\s+(?=(?:because|weil|denn|porque|parce que)\b)")
OF_EVENTS, OF_CARDS = ("all_day", "by_me", "by_others", "series"), ("mine",)
"""Kinds of words that say which events and which cards are meant."""


def says_instead(request: Request) -> bool:
    """Return whether something else is wanted in place of what the card does."""
    return _words("instead", request.language).search(folded_alike(outside(request))) is not None


def says_only(request: Request) -> bool:
    """Return whether an `only` is said."""
    return _words(Way.ONLY, request.language).search(folded_alike(outside(request))) is not None


def leaves_out(request: Request) -> bool:
    """Return whether something is left out, wherever that is said; a `no` that begins the reply says nothing of it."""
    said = _without_answer(folded_alike(outside(request)))
    return (_words(Way.WITHOUT, request.language).search(said) or APART.search(said)) is not None


def leaves_out_first(request: Request) -> bool:
    """Return whether the first clause leaves something out: `all but the last ten`."""
    said = _without_answer(folded_alike(outside(request))).strip()
    return _words(Way.WITHOUT, request.language).search(CLAUSES.split(said, maxsplit=1)[0]) is not None


def ways(request: Request) -> Sequence[tuple[Way, bool, tuple[SlotWords, ...]]]:
    """Return the slots by how they are meant, in order; the flag tells whether that was said of them.

    Without a word for it, slots are meant like those before them, and the first ones are meant only.
    """
    said, at = _without_answer(folded_alike(outside(request))), 0
    found: list[tuple[Way, bool, tuple[SlotWords, ...]]] = []
    way, spoken = Way.ONLY, False
    slots = sorted((one for one in request.slots if one.slot in NAMING), key=lambda one: one.start)
    for slot in slots:
        lead = said[at : slot.start]
        # "without attachments" is a state that mails have, and leaves nothing out.
        fileless = WITHOUT.search(lead) if ATTACHMENT.search(slot.text) else None
        before = _last(lead[: fileless.start()] if fileless else lead, request.language)
        if before is None and not found:
            before = _behind(said[slots[-1].end :], request.language)
        if before is not None:
            way, spoken = before, True
        if found and found[-1][0] is way:
            found[-1] = (way, found[-1][1], (*found[-1][2], slot))
        else:
            found.append((way, spoken, (slot,)))
        at = slot.end
    return found


def _behind(said: str, language: str) -> Way | None:
    """Return the way that is said behind all of them: `those from Bob too`, `die mit Anhang bitte nicht`."""
    way = _last(CLAUSES.split(said, maxsplit=1)[0], language)
    return way if way in {Way.ALSO, Way.WITHOUT} else None


def _without_answer(said: str) -> str:
    """Return the same with blanks in the place of a `no` that answers the card: `no, only mine`."""
    found = _words("answer").match(said)
    answers = found is not None and said[found.end() : found.end() + 1] in {",", ".", "!", ";", ":"}
    return " " * (found.end() + 1) + said[found.end() + 1 :] if found is not None and answers else said


def flags(request: Request, kinds: Sequence[str]) -> Mapping[str, Way]:
    """Return which of these kinds of words are said anywhere, and how: `the all-day ones`, `not mine`."""
    text, said = folded_alike(request.text), _without_answer(folded_alike(outside(request)))
    found: dict[str, Way] = {}
    for kind in kinds:
        match = _words(kind).search(text)
        if match is not None:
            way = (
                (Way.WITHOUT if APART.search(said) else None)
                or _last(said[: match.start()], request.language)
                or _behind(said[match.end() :], request.language)
                or Way.ONLY
            )
            found[kind] = way
    return found


def flag_spans(request: Request, kinds: Sequence[str]) -> Sequence[tuple[int, int]]:
    """Return where words of these kinds stand."""
    text = folded_alike(request.text)
    return [match.span() for kind in kinds for match in _words(kind).finditer(text)]


def unread_words(request: Request) -> str:
    """Return the words outside of slots that say something which nothing was made of; empty if there are none."""
    said = without_reasons(request)
    for kind in (*OF_EVENTS, *OF_CARDS, *Way, "instead"):
        said = _words(kind).sub(lambda found: " " * len(found[0]), said)
    return telling(said, POINTING, pointing_words(), _around())


def without_reasons(request: Request) -> str:
    """Return the words outside of slots without clauses that only give a reason: `hers too, she is family`."""
    said = folded_alike(outside(request))
    starts = [0, *(match.end() for match in CLAUSES.finditer(said)), len(said)]
    kept = said[: starts[1]]
    for start, end in pairwise(starts[1:]):
        clause = said[start:end]
        marked = any(start <= slot.start < end for slot in request.slots)
        says_how = any(_words(way, request.language).search(clause) for way in Way)
        kept += clause if marked or says_how or not _words("reason").match(clause.lstrip()) else ""
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
    later = _time(replace(said, scene=moved(said.scene, A_WEEK))) if found is not None else None
    if found is None or found.day is None or later is None or later.day is None or _is_counted(said):
        return False
    return found.weekday or later.day - found.day == A_WEEK


def counted_from_today(said: Said) -> bool:
    """Return whether days are counted from the one on which this is said: `tomorrow afternoon`."""
    found = _time(said)
    return found is not None and not found.weekday and found.day is not None and _is_counted(said)


def _is_counted(said: Said) -> bool:
    """Return whether words such as `next` or `in three days` count from today."""
    words = folded_alike(" ".join(one for slot in TIMES for one in said.request.words(slot)))
    return _counting().search(words) is not None


def _time(said: Said) -> TimeSaid | None:
    slot = next((one for one in TIMES if said.has(one)), "")
    try:
        return said.when(slot) if slot else None
    except Asking:
        return None


def _last(said: str, language: str) -> Way | None:
    """Return the way that the last word for one says, of words before a slot."""
    found = [(match.end(), way) for way in Way for match in _words(way, language).finditer(said)]
    return max(found, key=lambda one: one[0])[1] if found else None


@cache
def _words(kind: str, language: str = "") -> re.Pattern[str]:
    """Return the words of a kind in a language, or in all if it is not known."""
    stored = _stored(kind)
    return _any((stored[language], stored.get("any", ())) if language in stored else stored.values())


@cache
def _around() -> frozenset[str]:
    return frozenset(word for said in _stored("around").values() for one in said for word in folded(one).split())


@cache
def _counting() -> re.Pattern[str]:
    return _any(_stored("counted").values())


def _any(stored: Iterable[Sequence[str]]) -> re.Pattern[str]:
    words = {form for said in stored for one in said for form in (folded(one), folded_alike(one))}
    options = "|".join(re.escape(one) for one in sorted(words, key=lambda one: (-len(one), one)))
    return re.compile(rf"(?<![\w'’-])(?:{options})(?![\w-])")


def _stored(kind: str) -> Mapping[str, Sequence[str]]:
    return table("butler.orchestrator.edits", "ways")[kind]
