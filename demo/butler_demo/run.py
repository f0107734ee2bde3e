"""The demo as a whole: the world and its daemon in a temporary folder, with a page or with a script."""

import asyncio
import contextlib
import signal
import tempfile
from collections.abc import AsyncGenerator
from pathlib import Path

from rich.console import Console

from butler_demo.daemon import Daemon
from butler_demo.daemon_config import DaemonOptions
from butler_demo.page.server import PageServer
from butler_demo.player import Player
from butler_demo.script import read_script
from butler_demo.transcript import Transcript
from butler_demo.world import World


@contextlib.asynccontextmanager
async def living_world(options: DaemonOptions | None = None) -> AsyncGenerator[tuple[World, Daemon]]:
    """A world with its daemon, which is not started yet; both are stopped at the end."""
    with tempfile.TemporaryDirectory(prefix="butler-demo-") as folder:
        world = World(Path(folder))
        daemon = Daemon(world, options)
        try:
            await world.start()
            yield world, daemon
        finally:
            await daemon.stop()
            await world.stop()


async def play_script(path: Path, console: Console) -> bool:
    """Play a script and print its transcript; True when every step holds. Raises ScriptError and DaemonError."""
    lines = read_script(path)
    async with living_world() as (world, daemon):
        await daemon.start()
        return await Player(world, daemon, Transcript(console)).play(lines)


async def show_page(port: int, console: Console) -> None:
    """Serve the chat page until SIGINT or SIGTERM. Raises PortTakenError and DaemonError."""
    stopped = asyncio.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        asyncio.get_running_loop().add_signal_handler(number, stopped.set)
    console.print("Starting Telegram, Gmail and a mail provider of our own, on this machine only …", style="dim")
    async with living_world() as (world, daemon):
        page = PageServer(world, daemon)
        await page.start(port)
        try:
            console.print("Starting the daemon on top of them …", style="dim")
            starting = asyncio.create_task(daemon.start())
            stopping = asyncio.create_task(stopped.wait())
            await asyncio.wait({starting, stopping}, return_when=asyncio.FIRST_COMPLETED)
            if starting.done():
                starting.result()
                console.print(f"\nOpen [bold]{page.url}[/bold] in a browser. Ctrl-C ends the demo.\n")
            await stopping
            starting.cancel()
        finally:
            console.print("Stopping …", style="dim")
            await page.stop()
