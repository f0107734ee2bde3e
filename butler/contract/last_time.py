"""When something was last done, such as a completed round trip, by a clock that may be set meanwhile."""

from datetime import datetime, timedelta

from butler.contract.ports import Clock

SET_BY = timedelta(seconds=0.5)
"""How far two readings of the clocks may be apart without anybody having set one."""


class LastTime:
    """Records when it was last done, by the clock as it now is, so that its age stays true."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._noted: tuple[datetime, float] | None = None

    def note(self) -> None:
        """Record that it is done now."""
        self._noted = (self._clock.now(), self._clock.monotonic())

    @property
    def age_s(self) -> float | None:
        """Return the seconds since then, never negative; None where it was never done."""
        return None if self._noted is None else max(0.0, self._clock.monotonic() - self._noted[1])

    @property
    def at(self) -> datetime | None:
        """Return when that was: as recorded, or, where the clock was set since, by the clock as it now is."""
        if self._noted is None:
            return None
        at, ticks = self._noted
        by_now = self._clock.now() - timedelta(seconds=self._clock.monotonic() - ticks)
        return at if abs(by_now - at) < SET_BY else by_now
