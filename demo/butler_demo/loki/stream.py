"""A stream of the stand-in: labels, and lines that recur as time goes on, so that nobody has to write them."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

NANO = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Recurring:
    """Lines from a moment on, in seconds of the epoch; `text` takes the line's number, from 0."""

    first: float
    text: Callable[[int], str]
    every_s: float = math.inf
    count: int | None = None
    """How many at most; without an interval there is one."""

    def between(self, start_ns: int, end_ns: int) -> Iterator[tuple[int, str]]:
        """What was written from `start_ns` on and before `end_ns`, oldest first."""
        if math.isinf(self.every_s):
            numbers = range(1)
        else:
            low = max(0, math.floor((start_ns / NANO - self.first) / self.every_s))
            high = max(0, math.ceil((end_ns / NANO - self.first) / self.every_s) + 1)
            numbers = range(low, high if self.count is None else min(high, self.count))
        for number in numbers:
            seconds = self.first + (number * self.every_s if number else 0.0)
            at = round(seconds * 1_000_000) * 1000
            if start_ns <= at < end_ns:
                yield at, self.text(number)


@dataclass(frozen=True, slots=True)
class Stream:
    """What one program of one host writes."""

    labels: Mapping[str, str]
    lines: tuple[Recurring, ...]

    def between(self, start_ns: int, end_ns: int) -> list[tuple[int, str]]:
        """Its lines from `start_ns` on and before `end_ns`, oldest first."""
        return sorted(line for lines in self.lines for line in lines.between(start_ns, end_ns))
