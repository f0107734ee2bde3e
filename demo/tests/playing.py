"""A script that has to hold on the real daemon."""

from io import StringIO

from rich.console import Console

from butler_demo.daemon import Daemon
from butler_demo.player import Player
from butler_demo.script import parse_script
from butler_demo.transcript import Transcript
from butler_demo.world import World


async def play(world: World, daemon: Daemon, script: str) -> None:
    """Play it; the transcript and the daemon's log are told where it does not hold."""
    out = StringIO()
    held = await Player(world, daemon, Transcript(Console(file=out, width=100))).play(parse_script(script))
    assert held, f"{out.getvalue()}\n{daemon.log_tail()}"
