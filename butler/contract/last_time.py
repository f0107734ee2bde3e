"""When something was last done, such as a completed round trip, by a clock that may be set meanwhile."""

from datetime import datetime, timedelta

from butler.contract.ports import Clock

SET_BY = timedelta(seconds=0.5)
"""Two readings of the clocks may be so far apart without anybody having set one."""


class LastTime:
    """Notes when it was last done; tells that by the clock as it stands now, so that the age of it stays true."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._noted: tuple[datetime, float] | None = None

    def note(self) -> None:
        """It is done now."""
        self._noted = (self._clock.now(), self._clock.monotonic())

    @property
    def age_s(self) -> float | None:
        """Seconds since then, never negative; None where it was never done."""
        return None if self._noted is None else max(0.0, self._clock.monotonic() - self._noted[1])

    @property
    def at(self) -> datetime | None:
        """When that was: as it was noted, or, where the clock was set since, as the clock tells it by now."""
        if self._noted is None:
            return None
        at, ticks = self._noted
        by_now = self._clock.now() - timedelta(seconds=self._clock.monotonic() - ticks)
        return at if abs(by_now - at) < SET_BY else by_now
