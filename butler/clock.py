"""The real clock."""

import asyncio
from datetime import UTC, datetime

LONGEST_S = 60.0
"""Waits are cut to this length, so that a suspended machine or a corrected clock is noticed."""


class RealClock:
    """Meets `Clock`."""

    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep_until(self, when: datetime) -> None:
        while (left := (when - self.now()).total_seconds()) > 0:  # noqa: ASYNC110 - time has no event to wait for
            await asyncio.sleep(min(left, LONGEST_S))
