"""A series of the stand-in: what a server measures, as a function of time, with samples as a scrape leaves them."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

LOOKBACK_S = 300.0
"""How old the newest sample may be at a moment that is asked for."""


@dataclass(frozen=True, slots=True)
class Gauge:
    """One series. `value` takes seconds of the epoch and gives None where there was no scrape."""

    labels: Mapping[str, str]
    """With `__name__`."""
    value: Callable[[float], float | None]
    every_s: float = 15.0

    def at(self, moment: float) -> float | None:
        """The value at a moment: that of the newest sample, unless it is too old."""
        newest = math.floor(moment / self.every_s)
        for number in range(newest, math.floor((moment - LOOKBACK_S) / self.every_s), -1):
            if (value := self.value(number * self.every_s)) is not None:
                return value
        return None
