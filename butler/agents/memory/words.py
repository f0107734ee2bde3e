"""The words of a text as full text search and relevance see them: folded, and without those that say nothing.

Names, numbers and codes are what vectors are bad at; here they count as they stand.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from butler.agents.languages import SMALL_WORDS, folded

LONGEST_WORD: Final = 40
"""Characters; what is longer is no word, and the index does not take it."""
STEM: Final = 4
"""Two words with fewer letters in common at their beginning are strangers."""

_EMPTY: Final = frozenset[str]().union(*SMALL_WORDS.values())
"""What asks in a question, not what is asked about."""


def words(text: str) -> list[str]:
    """Every word in order, without case and accents."""
    return [word[:LONGEST_WORD] for word in folded(text)]


def asked(question: str) -> list[str]:
    """The words of a question that say what it is about, each once."""
    return [word for word in dict.fromkeys(words(question)) if word not in _EMPTY and (len(word) > 1 or word.isdigit())]


def has_digit(word: str) -> bool:
    """Whether it is a number or a code."""
    return any(character.isdigit() for character in word)


class Vocabulary:
    """The words of one passage, to be asked for those of a question."""

    def __init__(self, found: Iterable[str]) -> None:
        self._whole = frozenset(found)
        stems: dict[str, list[str]] = {}
        for word in self._whole:
            if len(word) >= STEM:
                stems.setdefault(word[:STEM], []).append(word)
        self._stems: Mapping[str, Sequence[str]] = MappingProxyType(stems)

    def has(self, word: str) -> float:
        """How surely it is there, from 0 to 1: itself, another form of it, or as the beginning of a longer word."""
        if word in self._whole:
            return 1.0
        if len(word) < STEM or has_digit(word):
            return 0.0
        return max((_likeness(word, other) for other in self._stems.get(word[:STEM], ())), default=0.0)


def _likeness(one: str, other: str) -> float:
    """Of two words that begin alike: 0.8 for two forms of one word, 0.5 for a word and one made of it."""
    shorter, longer = sorted((one, other), key=len)
    if has_digit(other):
        return 0.0
    common = next(
        (at for at, pair in enumerate(zip(shorter, longer, strict=False)) if pair[0] != pair[1]), len(shorter)
    )
    if common >= len(shorter) - 2 and common >= 0.6 * len(longer):
        return 0.8
    return 0.5 if common == len(shorter) > STEM else 0.0
