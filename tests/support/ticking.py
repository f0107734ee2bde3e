"""The rest of a clock for tests whose time passes as `now()` says: turning it lets time pass, and sets nothing."""

from datetime import datetime, timedelta
from typing import Protocol


class Waits(Protocol):
    def now(self) -> datetime: ...

    async def sleep_until(self, when: datetime) -> None: ...


class Ticking:
    """Whoever has `now` and `sleep_until` meets `Clock` with this."""

    def monotonic(self: Waits) -> float:
        return self.now().timestamp()

    async def sleep(self: Waits, seconds: float) -> None:
        await self.sleep_until(self.now() + timedelta(seconds=seconds))
