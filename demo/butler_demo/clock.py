"""The demo's clock: real time plus an offset in a file, which the demo turns and its daemon reads."""

import asyncio
import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

from butler.clock import RealClock

_LOOK_AGAIN_S = 0.1


class MasterClock:
    """The demo's own side: turns the clock and keeps the file in step."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._offset = timedelta()
        self._held: datetime | None = None
        self._write()

    @property
    def offset(self) -> timedelta:
        """How far the clock is ahead of real time."""
        return self._offset

    def now(self) -> datetime:
        """Now, aware, in UTC."""
        return self._held or datetime.now(UTC) + self._offset

    def timestamp(self) -> float:
        """Now, in seconds since the epoch."""
        return self.now().timestamp()

    def advance(self, by: timedelta) -> None:
        """Turn the clock forward for the demo and for the daemon."""
        self._offset += by
        self._write()

    @contextmanager
    def held_at(self, moment: datetime) -> Generator[None]:
        """Let it be `moment` meanwhile, so that what is written down gets that date."""
        self._held = moment
        try:
            yield
        finally:
            self._held = None

    def _write(self) -> None:
        fresh = self.path.with_suffix(".new")
        fresh.write_text(f"{self._offset.total_seconds()}\n", encoding="ascii")
        fresh.replace(self.path)


class TurnedClock:
    """The daemon's side; meets the contract's `Clock`. Looks into the file a few times a second."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._real = RealClock()
        self._offset = timedelta()
        self._read_at = float("-inf")

    def now(self) -> datetime:
        """Now, aware, in UTC."""
        self._look()
        return self._real.now() + self._offset

    def monotonic(self) -> float:
        """Seconds that have passed: turning the demo's clock lets time pass, setting the machine's does not."""
        self._look()
        return self._real.monotonic() + self._offset.total_seconds()

    async def sleep(self, seconds: float) -> None:
        """Return after a length of time, also when the clock is turned meanwhile."""
        ends = self.monotonic() + seconds
        while (left := ends - self.monotonic()) > 0:  # noqa: ASYNC110 - another process turns the clock
            await asyncio.sleep(min(left, _LOOK_AGAIN_S))

    async def sleep_until(self, when: datetime) -> None:
        """Return once `now() >= when`, also when the clock is turned meanwhile."""
        while (left := (when - self.now()).total_seconds()) > 0:  # noqa: ASYNC110 - the same
            await asyncio.sleep(min(left, _LOOK_AGAIN_S))

    def _look(self) -> None:
        if time.monotonic() - self._read_at >= _LOOK_AGAIN_S:
            self._read_at = time.monotonic()
            self._offset = timedelta(seconds=float(self._path.read_text(encoding="ascii")))


def local_zone() -> str:
    """The machine's IANA time zone, UTC where it does not tell."""
    named = os.environ.get("TZ", "").removeprefix(":")
    if named and not named.startswith("/"):
        return named
    _, found, zone = os.path.realpath("/etc/localtime").partition("/zoneinfo/")
    return zone.removeprefix("Etc/") if found else "UTC"
