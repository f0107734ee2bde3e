"""What the daemon costs while nothing happens: its start until the first completed poll, its memory, its processor.

Once with the bot identity only, as `butler init` leaves it, and once with the bot and the person's own account on
Telegram and on mail, on the demo's stand-in servers.
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

from bench.chatter import OWNER
from bench.machine import report, table
from bench.processes import Program, program
from bench.reply import write_config
from butler_demo.botapi.server import BotApiServer
from butler_demo.daemon_config import DaemonOptions
from butler_demo.daemon_config import write_config as write_demo_config
from butler_demo.world import World

TOKEN = "700000001:butler"
STARTED_WITHIN_S = 60.0
COMMAND = str(Path(sys.executable).with_name("butler"))


@dataclass(frozen=True, slots=True)
class Idle:
    """One start, and a while of doing nothing."""

    wall_s: float
    cpu_s: float
    """Seconds of processor until the first poll was complete."""
    rss_mb: float
    cpu_percent: float
    """Of one core, while idle."""


async def start_and_idle(config: Path, server: BotApiServer, token: str, seconds: float, log: Path) -> Idle:
    """One run of `butler run`."""
    began = time.monotonic()
    with program(COMMAND, "run", "--config", str(config), log=log) as daemon:
        # The first poll does not wait; while one waits, the first is complete.
        await polling(server, token, daemon)
        wall, cpu = time.monotonic() - began, daemon.cpu_s()
        await asyncio.sleep(seconds / 4)  # what starts beside the poll has settled
        used = daemon.cpu_s()
        await asyncio.sleep(seconds)
        idle = (daemon.cpu_s() - used) / seconds * 100
        return Idle(wall, cpu, daemon.rss_mb(), idle)


async def polling(server: BotApiServer, token: str, daemon: Program) -> None:
    """Wait for a poll that waits; raises RuntimeError with the log when none comes."""
    deadline = time.monotonic() + STARTED_WITHIN_S
    while not server.is_polling(token):
        if daemon.has_ended or time.monotonic() > deadline:
            raise RuntimeError(f"the daemon does not poll:\n{daemon.log_tail()}")
        await asyncio.sleep(0.005)


async def bot_only(starts: int, seconds: float) -> list[Idle]:
    """With the bot identity on Telegram only; the first start finds no bytecode and is not counted."""
    results: list[Idle] = []
    for number in range(starts + 1):
        server = BotApiServer(validate=False)
        await server.start()
        server.add_person(OWNER, "Owner")
        server.add_bot(TOKEN, "butler_bot", "Butler")
        with tempfile.TemporaryDirectory() as folder:
            config = write_config(Path(folder), server.url, TOKEN)
            spent = seconds if number else 0.1
            results.append(await start_and_idle(config, server, TOKEN, spent, Path(folder) / "log"))
        await server.stop()
    return results[1:]


async def both(starts: int, seconds: float) -> list[Idle]:
    """With both identities on Telegram and on mail."""
    results: list[Idle] = []
    for _ in range(starts):
        async with AsyncExitStack() as stack:
            folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
            world = World(folder)
            await world.start()
            stack.push_async_callback(world.stop)
            config = write_demo_config(world, DaemonOptions())
            results.append(await start_and_idle(config, world.bot_api, world.bot_token, seconds, folder / "log"))
    return results


def middle(results: list[Idle], value: str) -> float:
    return round(statistics.median(getattr(result, value) for result in results), 2)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.idle", description=__doc__)
    parser.add_argument("--starts", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=20.0, help="of idling a start")
    options = parser.parse_args()
    one = asyncio.run(bot_only(options.starts, options.seconds))
    two = asyncio.run(both(options.starts, options.seconds))
    values = ("wall_s", "cpu_s", "rss_mb", "cpu_percent")
    rows = [
        [name, *(middle(results, value) for value in values)] for name, results in (("bot only", one), ("both", two))
    ]
    table(["identities", "first poll s", "CPU s until then", "RSS MB", "idle CPU %"], rows)
    report(
        "idle",
        {},
        {
            "rss_mb": middle(one, "rss_mb"),
            "cpu_to_first_poll_s": middle(one, "cpu_s"),
            "wall_to_first_poll_s": middle(one, "wall_s"),
            "idle_cpu_percent": middle(one, "cpu_percent"),
            "rss_both_mb": middle(two, "rss_mb"),
            "cpu_to_first_poll_both_s": middle(two, "cpu_s"),
            "idle_cpu_both_percent": middle(two, "cpu_percent"),
        },
    )


if __name__ == "__main__":
    main()
