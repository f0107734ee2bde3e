"""A clock that only moves when the test says so."""

import asyncio
from datetime import UTC, datetime, timedelta


class HandClock:
    """Meets `Clock`. `advance` lets time pass, `set` only sets the wall clock; both wake whoever waits for that."""

    def __init__(self) -> None:
        self._now, self._passed = datetime(2026, 7, 30, 12, tzinfo=UTC), 0.0
        self._turned = asyncio.Condition()

    def now(self) -> datetime:
        return self._now

    def monotonic(self) -> float:
        return self._passed

    async def sleep(self, seconds: float) -> None:
        ends = self._passed + seconds
        async with self._turned:
            await self._turned.wait_for(lambda: self._passed >= ends)

    async def sleep_until(self, when: datetime) -> None:
        async with self._turned:
            await self._turned.wait_for(lambda: self._now >= when)

    async def advance(self, **by: float) -> None:
        async with self._turned:
            self._now += timedelta(**by)
            self._passed += timedelta(**by).total_seconds()
            self._turned.notify_all()

    async def set(self, **by: float) -> None:
        async with self._turned:
            self._now += timedelta(**by)
            self._turned.notify_all()
