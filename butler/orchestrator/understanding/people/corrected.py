"""Finds recipients that are corrected as soon as they are said: `text Anna no wait Bob: …`.

The words are in `corrected.toml`. The reader may mark the correction as a text, as part of a name, or as the end of a
request of its own.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from itertools import pairwise

from butler.understanding.marked import SlotWords
from butler.understanding.patterns import any_of
from butler.understanding.reader import Request
from butler.understanding.stored_words import stored

TEXTS = frozenset({"text", "reported", "asked"})
NAME = re.compile(r"[^\W\d_]+")
SIGNS = " ,.;:!?–—-"
CLAUSE, SENTENCE = re.compile(r"\s*[,;–—-]"), re.compile(r"[.!?]")
SEVERAL = 2
"""The number of words that may correct something from which on they surely do."""


def corrects(words: str) -> bool:
    """Return whether words between two names correct the first."""
    return _between().fullmatch(words) is not None


def surely_corrects(words: str) -> bool:
    """Return whether words between two names correct the first even where they may begin a message."""
    if not corrects(words):
        return False
    several = len(_words("may").findall(words)) >= SEVERAL and SENTENCE.search(words) is None
    return several or _words("surely").search(words) is not None


def rejoined(parts: Sequence[Request], addressed: frozenset[str]) -> tuple[Request, ...]:
    """Return the requests of a message, where a corrected recipient and the right one belong to one request.

    Args:
        parts: The requests as they were read.
        addressed: The intents that have recipients.
    """
    found: list[Request] = []
    for one in parts:
        joined = _joined(found[-1], one) if found and {found[-1].intent, one.intent} <= addressed else None
        found[-1:] = [joined] if joined is not None else [*found[-1:], one]
    return tuple(found)


def with_corrected(request: Request, knows: Callable[[str], bool]) -> Request:
    """Return the request without mistaken recipients, and without the words that correct them.

    Args:
        request: The request as it was read.
        knows: Whether a name belongs to somebody.
    """
    return _without_mistaken(_with_right_name(request, knows))


def _joined(first: Request, later: Request) -> Request | None:
    """Return both halves as one request; None if the words between their recipients correct nothing."""
    to, right = _last_recipient(first), _first_recipient(later)
    if to is None or right is None:
        return None
    between = f"{first.text[to.end :]} {later.text[: right.start]}"
    if not (surely_corrects(between) or (corrects(between) and not any(one.start >= to.end for one in first.slots))):
        return None
    by = len(first.text) + 1
    moved = tuple(replace(one, start=one.start + by, end=one.end + by) for one in later.slots)
    return replace(first, text=f"{first.text} {later.text}", slots=(*first.slots, *moved))


def _last_recipient(request: Request) -> SlotWords | None:
    return max((one for one in request.slots if one.slot == "to"), key=lambda one: one.start, default=None)


def _first_recipient(request: Request) -> SlotWords | None:
    return min((one for one in request.slots if one.slot == "to"), key=lambda one: one.start, default=None)


def _without_mistaken(request: Request) -> Request:
    """Return the request without each recipient whose name is corrected before the next one."""
    people = sorted((one for one in request.slots if one.slot == "to"), key=lambda one: one.start)
    out = set[SlotWords]()
    for one, later in pairwise(people):
        between = request.text[one.end : later.start]
        if surely_corrects(between) or (corrects(between) and CLAUSE.match(between)):
            out |= {one, *(slot for slot in request.slots if one.end <= slot.start and slot.end <= later.start)}
    return replace(request, slots=tuple(one for one in request.slots if one not in out)) if out else request


def _with_right_name(request: Request, knows: Callable[[str], bool]) -> Request:
    """Return the request with the right recipient marked, where only the mistaken one is, or both as one name."""
    for to in (one for one in request.slots if one.slot == "to"):
        wrong = NAME.match(request.text, to.start)
        between = _between().match(request.text, wrong.end()) if wrong is not None else None
        right = NAME.match(request.text, between.end()) if between is not None else None
        if wrong is None or between is None or right is None or not (knows(wrong[0]) and knows(right[0])):
            continue
        if any(one.slot == "to" and one.start == right.start() for one in request.slots):
            continue
        in_text = any(one.slot in TEXTS and one.start < right.end() and wrong.end() < one.end for one in request.slots)
        if in_text and not surely_corrects(between[0]):
            continue
        marked = SlotWords("to", right[0], right.start(), right.end())
        others = (_from(one, right.end()) for one in request.slots if one is not to)
        return replace(request, slots=(marked, *(one for one in others if one.text)))
    return request


def _from(one: SlotWords, start: int) -> SlotWords:
    """Return a text without its words before a place; unchanged if it begins behind it or is no text."""
    if one.slot not in TEXTS or one.start >= start:
        return one
    rest = one.text[start - one.start :]
    kept = rest.lstrip(SIGNS)
    return SlotWords(one.slot, kept, start + len(rest) - len(kept), one.end) if kept else replace(one, text="")


@cache
def _between() -> re.Pattern[str]:
    corrections = "|".join(_words(kind).pattern for kind in ("surely", "may"))
    return re.compile(rf"[{SIGNS}]*(?:(?:{corrections})[{SIGNS}]*)+(?:{_words('again').pattern}\s+)?", re.IGNORECASE)


@cache
def _words(kind: str) -> re.Pattern[str]:
    words = any_of(stored("butler.orchestrator.understanding.people", "corrected", kind))
    return re.compile(rf"(?<![\w'’-])(?:{words})(?![\w'’])", re.IGNORECASE)
