"""Finds what of a card's text new words take the place of: the same kind of time, or the same thing with other words.

It works in every language that times are read in. Nothing here guesses: it returns all places, and the caller asks.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime

from butler.understanding.times.lengths import Amount
from butler.understanding.times.lexicon import lexicon, tokens_of
from butler.understanding.times.parse import length_of, parse
from butler.understanding.times.saying import TimeSaid

WORD = re.compile(r"\d(?:[\w.:]*\w)?|[^\W\d_]+(?:['’][^\W\d_]+)*|\S")
LONGEST = 6
"""Most words of a time."""
MOST = 400
"""Most words of a text that is searched."""
SHORT = 4
"""Most words of a new phrase that stands for a part of the text."""
COMMON = 3
"""Letters at the end of a word that make it the same kind of thing: `Nordtor`, `Südtor`."""
Place = tuple[int, int]


def times_in(text: str, new: TimeSaid, language: str, now: datetime) -> list[Place]:
    """Return where the text has a time that says what the new one says: an hour, a day, or both."""

    def read(words: str) -> TimeSaid | None:
        found = _parsed(words, language, now)
        lone = len(re.findall(r"\w+", words)) == 1 and found is not None and not found.half_said and ":" not in words
        return found if found is not None and not lone and _kind(found) == _kind(new) else None

    found = _windows(text, language, read, lambda words: _parsed(words, language, now))
    clocks = [(start, end) for start, end in found if _has_clock(text[start:end], language, now)]
    return clocks if new.clock is not None and clocks else found


def _has_clock(words: str, language: str, now: datetime) -> bool:
    """Return whether a time says an hour, and not only a part of the day, as `tarde` may."""
    found = _parsed(words, language, now)
    return found is not None and found.clock is not None


def lengths_in(text: str, language: str, now: datetime) -> list[Place]:
    """Return where the text has a length of time."""

    def read(words: str) -> Amount | None:
        return length_of(words, language, now)

    return _windows(text, language, read, read)


def core(words: str, language: str, now: datetime) -> str:
    """Return the words of a time without a preposition before it: `at seven` is `seven`."""
    return words[_lead(words, lambda some: _parsed(some, language, now)) :]


def alike(text: str, words: str) -> list[Place]:
    """Return where the text has the same kind of thing as a short phrase: `north gate` for `south gate`."""
    new, old = list(WORD.finditer(words)), list(WORD.finditer(text))
    if not new or len(new) > SHORT or len(old) > MOST:
        return []
    count = len(new)
    by_last = [n for n, one in enumerate(old) if n + 1 >= count and _same(one[0], new[-1][0])]
    found = [(old[n + 1 - count].start(), old[n].end()) for n in by_last]
    if not found and count > 1:
        by_first = [n for n, one in enumerate(old) if n + count <= len(old) and _same(one[0], new[0][0])]
        found = [(old[n].start(), old[n + count - 1].end()) for n in by_first]
    if not found and count == 1:
        found = [one.span() for one in old if _same_end(one[0], new[0][0])]
    return [(start, end) for start, end in found if text[start:end].casefold() != words.casefold()]


def _same(one: str, other: str) -> bool:
    return one.casefold() == other.casefold() and len(one) >= COMMON


def _same_end(one: str, other: str) -> bool:
    return min(len(one), len(other)) > COMMON + 1 and one[-COMMON:].casefold() == other[-COMMON:].casefold()


def _parsed(words: str, language: str, now: datetime) -> TimeSaid | None:
    """Read a time as the same with and without `until` or `since`."""
    try:
        found = parse(words, language, now)
        return found and replace(found, bound="")
    except IndexError:  # words that break off within a time, such as `à 18h au`
        return None


def _kind(said: TimeSaid) -> tuple[bool, bool]:
    return said.day is not None or said.moment is not None, said.clock is not None or bool(said.part)


def _windows(text: str, language: str, read: Callable[[str], object], mean: Callable[[str], object]) -> list[Place]:
    """Return the longest runs of words that are read, without a preposition that their meaning can do without."""
    words = list(WORD.finditer(text))[:MOST]
    found: list[Place] = []
    at = 0
    while at < len(words):
        for count in range(min(LONGEST, len(words) - at), 0, -1):
            start, end = words[at].start(), words[at + count - 1].end()
            if words[at + count - 1][0][-1].isalnum() and read(text[start:end]) is not None:
                end = start + _tail(text[start:end], language, mean)
                found.append((start + _lead(text[start:end], mean), end))
                at += count - 1
                break
        at += 1
    return found


def _tail(words: str, language: str, mean: Callable[[str], object]) -> int:
    """Return the end without words that add nothing: of `um sechs am` that of `um sechs`, but all of `sechs Uhr`."""
    whole, found = mean(words), list(WORD.finditer(words))
    while len(found) > 1 and mean(words[: found[-2].end()]) == whole:
        if lexicon(language).longest(tokens_of(found[-1][0]), 0, "oclock") is not None:
            break
        found.pop()
    return found[-1].end()


def _lead(words: str, mean: Callable[[str], object]) -> int:
    """Return the length of what stands before the words that mean the same alone."""
    whole, starts = mean(words), [match.start() for match in WORD.finditer(words)]
    return next((at for at in reversed(starts) if mean(words[at:]) == whole), 0)
