"""A clock that stands still until it is turned."""

import asyncio
from datetime import UTC, datetime, timedelta


class HandClock:
    """Meets `Clock`. `advance` wakes whoever waits for a time that has come."""

    def __init__(self) -> None:
        self._now = datetime(2026, 7, 30, 12, tzinfo=UTC)
        self._turned = asyncio.Condition()

    def now(self) -> datetime:
        return self._now

    async def sleep_until(self, when: datetime) -> None:
        async with self._turned:
            await self._turned.wait_for(lambda: self._now >= when)

    async def advance(self, **by: float) -> None:
        async with self._turned:
            self._now += timedelta(**by)
            self._turned.notify_all()
