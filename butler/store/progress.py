"""The progress of a backup or a restore, for display."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

T = TypeVar("T")

STEP = 500
"""Rows or files between two reports."""


class Stage(StrEnum):
    """What is being read or written."""

    CHECK = "check"
    ROWS = "rows"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class Progress:
    """How many are done, of how many: bytes of the archive in `CHECK`, rows or files otherwise."""

    stage: Stage
    done: int
    total: int


Tell = Callable[[Progress], None]


def ignore_progress(_: Progress) -> None:
    """Report nothing."""


class Counter:
    """Counts the items of a stage, and reports the first, each `STEP` and the last."""

    def __init__(self, tell: Tell, stage: Stage, total: int) -> None:
        self._tell, self._stage, self._total = tell, stage, total
        self._done = 0
        self._say()

    @property
    def is_whole(self) -> bool:
        """Return whether as many are done as were announced."""
        return self._done == self._total

    def add(self) -> None:
        """Count one item."""
        self._done += 1
        if self._done % STEP == 0 or self._done == self._total:
            self._say()

    def through(self, items: Iterable[T]) -> Iterator[T]:
        """Yield the items; each is counted when the next is requested."""
        for item in items:
            yield item
            self.add()

    def _say(self) -> None:
        self._tell(Progress(self._stage, self._done, self._total))
