"""Splits a request into words, and words into the pieces that the reader's network knows.

A unigram model chooses the pieces (Kudo 2018, https://arxiv.org/abs/1804.10959): the most probable of all ways to
divide a word.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

WORD = re.compile(r"https?://\S+|[\w.+-]+@[\w-]+\.[\w.-]*\w|@\w+|\w+|[^\w\s]")
"""Each address, link and punctuation mark is one word."""
SPACE = "▁"
UNKNOWN = 3
START, END = 0, 2
LONGEST_PIECE = 16
UNKNOWN_SCORE = -30.0
SHOUTED = 4
"""Characters of a word from which capitals mean stress: `six in the MORNING`."""
LONGEST_WORD = 40
"""Characters of a word that are read; a longer one is no word of a language."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its place in the text; `spaced` if a space precedes it."""

    text: str
    start: int
    end: int
    spaced: bool


def words_of(text: str) -> list[Word]:
    """Return all words and punctuation marks of a text, in order."""
    found: list[Word] = []
    end = -1
    for match in WORD.finditer(text):
        found.append(Word(match[0], match.start(), match.end(), match.start() != end))
        end = match.end()
    return found


@dataclass(frozen=True)
class Vocabulary:
    """The pieces by their text, each with its row in the embedding table and its log probability."""

    pieces: Mapping[str, tuple[int, float]]
    _known: dict[str, tuple[int, ...]] = field(default_factory=dict[str, tuple[int, ...]])

    @cached_property
    def _longest(self) -> int:
        return min(LONGEST_PIECE, max(map(len, self.pieces), default=1))

    def ids(self, word: Word) -> tuple[int, ...]:
        """Return the pieces of a word; never empty."""
        text = unicodedata.normalize("NFKC", word.text.replace("’", "'"))[:LONGEST_WORD]
        if text.isupper() and len(text) >= SHOUTED:
            text = text.lower()
        marked = SPACE + text if word.spaced else text
        if (known := self._known.get(marked)) is None:
            known = self._split(marked)
            self._known[marked] = known
        return known

    def _split(self, text: str) -> tuple[int, ...]:
        best = [0.0] + [float("-inf")] * len(text)
        came: list[tuple[int, int]] = [(0, UNKNOWN)] * (len(text) + 1)
        for start in range(len(text)):
            for end in range(start + 1, min(len(text), start + self._longest) + 1):
                row, score = self.pieces.get(text[start:end], (UNKNOWN, UNKNOWN_SCORE if end == start + 1 else -1e9))
                if best[start] + score > best[end]:
                    best[end], came[end] = best[start] + score, (start, row)
        ids: list[int] = []
        at = len(text)
        while at:
            at, row = came[at]
            ids.append(row)
        return tuple(reversed(ids)) or (UNKNOWN,)
