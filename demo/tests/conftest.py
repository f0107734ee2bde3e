"""A world with a daemon that only echoes, a player of scripts on top of it, and their transcript as text."""

from collections.abc import AsyncIterator, Awaitable, Callable
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from butler_demo import daemon as daemon_module
from butler_demo.daemon import Daemon
from butler_demo.daemon_config import DaemonOptions
from butler_demo.player import Player
from butler_demo.script import parse_script
from butler_demo.transcript import Transcript
from butler_demo.world import World
from tests.crash.daemon_harness import Nursery
from tests.crash.forked_daemon import ForkedDaemon

Play = Callable[[str], Awaitable[tuple[bool, str]]]


@pytest.fixture
async def world(tmp_path: Path) -> AsyncIterator[World]:
    world = World(tmp_path)
    await world.start()
    yield world
    await world.stop()


@pytest.fixture
async def echo(world: World, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Daemon]:
    """A running daemon that echoes; it has no mailbox to be waited for."""
    monkeypatch.setattr(daemon_module, "_MAIL_READY_WITHIN_S", 0.01)
    daemon = Daemon(world, child="demo.tests.echo_child")
    await daemon.start()
    yield daemon
    await daemon.stop()


@pytest.fixture
async def daemon(world: World, nursery: Nursery) -> AsyncIterator[Daemon]:
    """The real daemon, with a second to undo in."""
    daemon = ForkedDaemon(world, nursery, DaemonOptions(undo_window="1s"))
    await daemon.start()
    yield daemon
    await daemon.stop()


@pytest.fixture
def play(world: World, echo: Daemon, tmp_path: Path) -> Play:
    """Play a script; whether it held, and its transcript."""

    async def play(script: str) -> tuple[bool, str]:
        out = StringIO()
        player = Player(world, echo, Transcript(Console(file=out, width=120)))
        held = await player.play(parse_script(script, tmp_path))
        return held, out.getvalue()

    return play
