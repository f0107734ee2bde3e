"""A machine whose wall clock can be set while the real daemon runs on it, by libfaketime; time passes as it does."""

import asyncio
import json
import os
import re
import signal
import socket
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from butler_demo.daemon import Daemon
from butler_demo.daemon_config import DaemonOptions, write_config
from butler_demo.events import ChatChanged, Event
from butler_demo.player import Player
from butler_demo.script import parse_script
from butler_demo.transcript import Transcript
from butler_demo.world import World

LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketimeMT.so.1"), None)


class Machine:
    """The world, the daemon on it, and its clock."""

    def __init__(self, world: World, monkeypatch: pytest.MonkeyPatch, *, undo_window: str) -> None:
        assert LIBRARY is not None
        self.world = world
        self._offset = world.folder / "wall-clock"
        self.set(0)
        faked = {
            "LD_PRELOAD": str(LIBRARY),
            "FAKETIME_TIMESTAMP_FILE": str(self._offset),
            # Seconds between two looks into the file. Without a cache each reading of the clock is one: the daemon then
            # needs several times the processor.
            "FAKETIME_CACHE_DURATION": "1",
            "DONT_FAKE_MONOTONIC": "1",
        }
        for name, value in faked.items():
            monkeypatch.setenv(name, value)
        self.daemon = Daemon(world, DaemonOptions(undo_window=undo_window, mail_poll_interval="2s"), child=CHILD)
        self._port = _on_a_port(self.daemon, world, undo_window)
        self._out = StringIO()
        self._player = Player(world, self.daemon, Transcript(Console(file=self._out, width=100)))
        self.said: list[str] = []
        world.stream.subscribe(self._hear)

    def set(self, by_s: float) -> None:
        """Set the wall clock to so many seconds beside the true time."""
        fresh = self._offset.with_suffix(".new")
        fresh.write_text(f"{by_s:+.1f}\n", encoding="ascii")
        fresh.replace(self._offset)

    async def play(self, script: str) -> None:
        """Play steps that have to hold."""
        held = await self._player.play(parse_script(script))
        assert held, f"{self._out.getvalue()}\n{self.daemon.log_tail()}"

    async def until(self, holds: Callable[[], Any], what: str, within: float = 90.0) -> None:
        """Wait until it holds."""
        ends = time.monotonic() + within
        while not holds():
            assert time.monotonic() < ends, f"{what} did not come; said: {self.said}\n{self.daemon.log_tail()}"
            await asyncio.sleep(0.05)

    async def told(self, words: str, within: float = 90.0) -> None:
        """Wait until the owner is told something with these words."""
        await self.until(lambda: any(words in one for one in self.said), words, within)

    async def health(self) -> dict[str, Any]:
        """What `/healthz` says."""
        return await asyncio.to_thread(_page, f"http://127.0.0.1:{self._port}/healthz")

    async def stop_for(self, seconds: float) -> None:
        """SIGSTOP, and SIGCONT after a while."""
        assert self.daemon.pid is not None
        os.kill(self.daemon.pid, signal.SIGSTOP)
        await asyncio.sleep(seconds)
        os.kill(self.daemon.pid, signal.SIGCONT)

    def _hear(self, event: Event) -> None:
        if isinstance(event, ChatChanged) and event.by_bot:
            self.said.append(event.text)


CHILD = "tests.clock.child"


def _on_a_port(daemon: Daemon, world: World, undo_window: str) -> int:
    """Have the web port be a free one that is known."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
    config = write_config(world, DaemonOptions(undo_window=undo_window, mail_poll_interval="2s"))
    config.write_text(re.sub(r"(?m)^port = 0$", f"port = {port}", config.read_text("utf-8")), encoding="utf-8")
    daemon._config = config
    return port


def _page(url: str) -> dict[str, Any]:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        return json.loads(error.read())
    except TimeoutError:
        return {}
