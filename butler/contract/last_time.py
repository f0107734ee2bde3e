"""The time at which something was last done, such as a round trip, by a clock that may be set meanwhile."""

from datetime import datetime, timedelta

from butler.contract.ports import Clock

SET_BY = timedelta(seconds=0.5)
"""The difference between two clocks' readings up to which neither counts as set."""


class LastTime:
    """Records when something was last done, by the clock as it is now, so that its age stays correct."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._noted: tuple[datetime, float] | None = None

    def note(self) -> None:
        """Record that it was done now."""
        self._noted = (self._clock.now(), self._clock.monotonic())

    @property
    def age_s(self) -> float | None:
        """Return the seconds since it was last done, never negative; None if it never was."""
        return None if self._noted is None else max(0.0, self._clock.monotonic() - self._noted[1])

    @property
    def at(self) -> datetime | None:
        """Return when it was last done, by the clock as it is now, even if that was set since."""
        if self._noted is None:
            return None
        at, ticks = self._noted
        by_now = self._clock.now() - timedelta(seconds=self._clock.monotonic() - ticks)
        return at if abs(by_now - at) < SET_BY else by_now
