"""The words of a text for full text search and relevance: folded, without stop words.

Vectors are bad at names, numbers and codes; these count as they are written.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from butler.agents.languages import SMALL_WORDS, folded

LONGEST_WORD: Final = 40
"""Characters; a longer one is no word, and the index does not take it."""
STEM: Final = 4
"""Two words that share fewer letters at their beginning are unrelated."""

_EMPTY: Final = frozenset[str]().union(*SMALL_WORDS.values())
"""Function words, which do not name the topic."""


def words(text: str) -> list[str]:
    """Return every word in order, without case and accents."""
    return [word[:LONGEST_WORD] for word in folded(text)]


def asked(question: str) -> list[str]:
    """Return the content words of a question, each once."""
    return [word for word in dict.fromkeys(words(question)) if word not in _EMPTY and (len(word) > 1 or word.isdigit())]


def has_digit(word: str) -> bool:
    """Return whether a word is a number or a code."""
    return any(character.isdigit() for character in word)


class Vocabulary:
    """The words of one passage, to be matched with those of a question."""

    def __init__(self, found: Iterable[str]) -> None:
        self._whole = frozenset(found)
        stems: dict[str, list[str]] = {}
        for word in self._whole:
            if len(word) >= STEM:
                stems.setdefault(word[:STEM], []).append(word)
        self._stems: Mapping[str, Sequence[str]] = MappingProxyType(stems)

    def has(self, word: str) -> float:
        """Return how surely the passage has a word, from 0 to 1: itself, another form, or a longer word with it."""
        if word in self._whole:
            return 1.0
        if len(word) < STEM or has_digit(word):
            return 0.0
        return max((_likeness(word, other) for other in self._stems.get(word[:STEM], ())), default=0.0)


def _likeness(one: str, other: str) -> float:
    """Rate two words that begin alike: 0.8 for two forms of one word, 0.5 for a word and its compound."""
    shorter, longer = sorted((one, other), key=len)
    if has_digit(other):
        return 0.0
    common = next(
        (at for at, pair in enumerate(zip(shorter, longer, strict=False)) if pair[0] != pair[1]), len(shorter)
    )
    if common >= len(shorter) - 2 and common >= 0.6 * len(longer):
        return 0.8
    return 0.5 if common == len(shorter) > STEM else 0.0
