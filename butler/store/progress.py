"""How far a backup or a restore is, for whoever shows it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")

STEP = 500
"""After so many rows or files it is said anew."""


class Stage(StrEnum):
    """What is being read or written."""

    CHECK = "check"
    ROWS = "rows"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class Progress:
    """So many are done of so many: bytes of the archive in `CHECK`, rows or files in the others."""

    stage: Stage
    done: int
    total: int


Tell = Callable[[Progress], None]


def untold(_: Progress) -> None:
    """For whoever does not want to know."""


class Counter:
    """Counts the items of a stage, and tells at the first, each `STEP` and the last."""

    def __init__(self, tell: Tell, stage: Stage, total: int) -> None:
        self._tell, self._stage, self._total = tell, stage, total
        self._done = 0
        self._say()

    @property
    def is_whole(self) -> bool:
        """Whether as many are done as there were said to be."""
        return self._done == self._total

    def add(self) -> None:
        """One more is done."""
        self._done += 1
        if self._done % STEP == 0 or self._done == self._total:
            self._say()

    def through(self, items: Iterable[T]) -> Iterator[T]:
        """The items; each is counted once the next is asked for."""
        for item in items:
            yield item
            self.add()

    def _say(self) -> None:
        self._tell(Progress(self._stage, self._done, self._total))
