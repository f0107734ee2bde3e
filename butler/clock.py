"""The real clock."""

import asyncio
import time
from datetime import UTC, datetime

LONGEST_S = 60.0
"""Waits are cut to this length, so that a suspended machine or a corrected clock is noticed."""
# A machine that slept has let time pass, which Linux's CLOCK_MONOTONIC does not count; elsewhere it may.
_TICKING = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)


class RealClock:
    """Implements `Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.clock_gettime(_TICKING)

    async def sleep(self, seconds: float) -> None:
        ends = self.monotonic() + seconds
        while (left := ends - self.monotonic()) > 0:  # noqa: ASYNC110 - time has no event to wait for
            await asyncio.sleep(min(left, LONGEST_S))

    async def sleep_until(self, when: datetime) -> None:
        while (left := (when - self.now()).total_seconds()) > 0:  # noqa: ASYNC110 - the same
            await asyncio.sleep(min(left, LONGEST_S))
