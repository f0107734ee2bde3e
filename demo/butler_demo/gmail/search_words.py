"""Words in a search: whole words without regard to case, exact ones, phrases, and words near one another."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import TypeAlias

from butler_demo.gmail.records import Message

Predicate: TypeAlias = Callable[[Message], bool]
Reader: TypeAlias = Callable[[Message], str]

FIELD_BREAK = " ǂ "
"""Stands between the fields of a mail, so that a phrase does not go across; nobody writes it."""
_SHORTEST_STEM = 3


def phrase(text: str, read: Reader, *, exact: bool = True) -> Predicate:
    """Match mails in which these words stand side by side; a plural is the word, too, unless `exact`."""
    wanted = words_of(text)

    def matches(message: Message) -> bool:
        return bool(_places(words_of(read(message)), wanted, exact=exact))

    return matches


def around(first: str, distance: int, second: str, read: Reader, *, ordered: bool) -> Predicate:
    """Match mails in which the second lies at most `distance` words from the first, after it where `ordered`."""
    left, right = words_of(first), words_of(second)

    def matches(message: Message) -> bool:
        words = words_of(read(message))
        ends = [place + len(left) - 1 for place in _places(words, left, exact=ordered)]
        starts = _places(words, right, exact=ordered)
        if any(0 < start - end <= distance + 1 for end in ends for start in starts):
            return True
        if ordered:
            return False
        later = [place + len(right) - 1 for place in starts]
        earlier = [end - len(left) + 1 for end in ends]
        return any(0 < start - end <= distance + 1 for end in later for start in earlier)

    return matches


@lru_cache(maxsize=4096)
def words_of(text: str) -> tuple[str, ...]:
    """Return the words of a text, in the form in which they are compared."""
    return tuple(re.findall(r"\w+", text.casefold()))


def _places(words: Sequence[str], wanted: Sequence[str], *, exact: bool) -> list[int]:
    width = len(wanted)
    same = _identical if exact else _alike
    return [
        start
        for start in range(len(words) - width + 1)
        if all(same(words[start + offset], wanted[offset]) for offset in range(width))
    ]


def _identical(word: str, wanted: str) -> bool:
    return word == wanted


def _alike(word: str, wanted: str) -> bool:
    return word == wanted or _stem(word) == _stem(wanted)


def _stem(word: str) -> str:
    """A plural's singular; numbers and short words stay."""
    if len(word) <= _SHORTEST_STEM or not word.isalpha() or word.endswith("ss"):
        return word
    if word.endswith(("ches", "shes", "sses", "xes")):
        return word[:-2]
    return word.removesuffix("s")
