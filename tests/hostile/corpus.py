"""The corpus of injections: attacks and benign texts, and how to tell whether any of an attack stands in a text."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

from tests.support.corpora import INJECTIONS, rows

SHINGLE = 6
"""So many words in a row that two texts have in common show that one was made of the other."""
_WORD = re.compile(r"\w+")
_MARK = re.compile(r"qz\d{4}zq")


@dataclass(frozen=True, slots=True)
class Sample:
    """A text of the corpus."""

    sample_id: str
    text: str
    is_attack: bool
    is_strong: bool

    @property
    def planted(self) -> str:
        """An attack as it is put somewhere: with a mark by which even its first letters are told."""
        return f"qz{self.sample_id[1:]:0>4}zq {self.text}" if self.is_attack else self.text


@cache
def corpus() -> tuple[Sample, ...]:
    return tuple(
        Sample(r["id"], r["text"], r["label"] == "attack", r["strength"] == "strong") for r in rows(INJECTIONS)
    )


def attacks(*, strong_only: bool) -> list[Sample]:
    return [one for one in corpus() if one.is_attack and (one.is_strong or not strong_only)]


def benign() -> list[Sample]:
    return [one for one in corpus() if not one.is_attack]


class Traces:
    """What betrays these texts wherever a part of them stands: their words in a row, or all of a short one."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._shingles: set[tuple[str, ...]] = set()
        self._short: set[str] = set()
        for text in texts:
            found = set(_shingles(text))
            self._shingles |= found
            if not found:
                self._short.add(_flat(text))

    def found_in(self, text: str) -> str:
        """A piece of one of them, or the mark of one, that stands in the text; empty where none does."""
        if mark := _MARK.search(text):
            return mark.group()
        if shared := next((one for one in _shingles(text) if one in self._shingles), None):
            return " ".join(shared)
        flat = _flat(text)
        return next((one for one in self._short if one and one in flat), "")


def _shingles(text: str) -> Iterator[tuple[str, ...]]:
    words = _WORD.findall(text.casefold())
    return zip(*(words[at:] for at in range(SHINGLE)), strict=False)


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
