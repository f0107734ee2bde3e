"""Notifies systemd that Butler has started, that it still looks for work, and that it stops.

With `WatchdogSec=` in the unit, systemd restarts a hanging daemon: this module sends a sign of life only while the
engine looks for work. It does nothing if systemd did not start the process.
"""

import asyncio
import os
import socket
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

import structlog

from butler.contract.ports import Clock

log = structlog.get_logger(__name__)

LOOKS_WITHIN = timedelta(seconds=60)
"""Longer than the engine ever waits between two looks."""


class Watchdog:
    """Implements systemd's notify protocol."""

    def __init__(
        self,
        clock: Clock,
        last_tick: Callable[[], datetime | None],
        environment: Mapping[str, str] = os.environ,
    ) -> None:
        self._clock, self._last_tick = clock, last_tick
        self._address = environment.get("NOTIFY_SOCKET", "")
        self._every_s = _microseconds(environment.get("WATCHDOG_USEC", "")) / 2e6

    async def keep(self) -> None:
        """Notify of the start, then of life until cancelled, and then of the end."""
        if not self._address:
            return
        self._tell("READY=1")
        try:
            while self._every_s:
                if self._looks():
                    self._tell("WATCHDOG=1")
                await asyncio.sleep(self._every_s)
            await asyncio.Event().wait()
        finally:
            self._tell("STOPPING=1")

    def _looks(self) -> bool:
        tick = self._last_tick()
        return tick is not None and abs(self._clock.now() - tick) < LOOKS_WITHIN

    def _tell(self, state: str) -> None:
        # A name that begins with @ is one of Linux's abstract sockets.
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        try:
            with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as notify:
                notify.setblocking(False)
                notify.sendto(state.encode(), address)
        except OSError as error:
            log.warning("systemd_not_told", kind=type(error).__name__)


def _microseconds(said: str) -> int:
    return int(said) if said.isascii() and said.isdecimal() else 0
