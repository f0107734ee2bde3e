"""systemd hears of the start, of life while the engine looks for work, and of the end."""

import asyncio
import contextlib
import socket
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from butler.health.watchdog import Watchdog
from tests.approvals.phone import NOON, TestClock


async def heard(path: Path, tick: datetime | None, *, usec: str = "2000") -> list[bytes]:
    """What systemd hears of a daemon that lives a little."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(path))
        systemd.setblocking(False)
        watchdog = Watchdog(TestClock(), lambda: tick, {"NOTIFY_SOCKET": str(path), "WATCHDOG_USEC": usec})
        living = asyncio.create_task(watchdog.keep())
        for _ in range(5):
            await asyncio.sleep(0.001)
        living.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await living
        got: list[bytes] = []
        with contextlib.suppress(BlockingIOError):
            while True:
                got.append(systemd.recv(100))
        return got


async def test_systemd_hears_of_the_start_of_life_and_of_the_end(tmp_path: Path) -> None:
    got = await heard(tmp_path / "notify", NOON)
    assert got[0] == b"READY=1"
    assert got[1] == b"WATCHDOG=1"
    assert got[-1] == b"STOPPING=1"


@pytest.mark.parametrize("tick", [None, NOON - timedelta(minutes=2)])
async def test_a_daemon_whose_engine_hangs_gives_no_sign_of_life(tmp_path: Path, tick: datetime | None) -> None:
    assert await heard(tmp_path / "notify", tick) == [b"READY=1", b"STOPPING=1"]


async def test_without_a_watchdog_only_start_and_end_are_told(tmp_path: Path) -> None:
    assert await heard(tmp_path / "notify", NOON, usec="") == [b"READY=1", b"STOPPING=1"]


async def test_without_systemd_nothing_is_told() -> None:
    await Watchdog(TestClock(), lambda: NOON, {}).keep()


async def test_a_socket_that_is_gone_harms_nothing(tmp_path: Path) -> None:
    watchdog = Watchdog(TestClock(), lambda: NOON, {"NOTIFY_SOCKET": f"@{tmp_path}/none", "WATCHDOG_USEC": "0"})
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(watchdog.keep(), 0.01)
