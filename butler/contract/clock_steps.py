"""Detects that a clock was set, for code that waits by it or has shown its time to others."""

from datetime import UTC, datetime, timedelta

from butler.contract.ports import Clock

SMALLEST_STEP = timedelta(seconds=0.25)
_TOGETHER_S = 0.05
"""The largest gap between two readings of one clock for which a reading of the other, made in between, is valid."""
_TRIES = 20
_EPOCH = datetime.fromtimestamp(0, UTC)


class ClockSteps:
    """Detects a clock that was set: it has advanced by more, or less, than the time that passed.

    A clock that is only slewed stays in step, because the monotonic clock is slewed with it.
    """

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._ahead = self._read()

    def look(self) -> timedelta:
        """Return how far the clock was set since the last call, negative for back; zero if it was not set."""
        ahead = self._read()
        step = ahead - self._ahead
        if abs(step) < SMALLEST_STEP:
            return timedelta()
        self._ahead = ahead
        return step

    def _read(self) -> timedelta:
        """Return how far the wall clock is ahead of the monotonic one."""
        before, now, after = self._clock.monotonic(), self._clock.now(), self._clock.monotonic()
        for _ in range(_TRIES):
            if after - before < _TOGETHER_S:
                break
            # A process that was stopped between two readings has seen no step.
            before, now, after = after, self._clock.now(), self._clock.monotonic()
        return now - _EPOCH - timedelta(seconds=before)
