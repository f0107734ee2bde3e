"""A world with a daemon in it that is killed at a point, and started again by whoever watches it."""

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import sys
from pathlib import Path

from butler.demo.daemon_config import DaemonOptions, write_config
from butler.demo.people import OWNER_ID
from butler.demo.world import World

WITHIN_S = 25.0


class Nursery:
    """The process that forks daemons; it serves one test after another."""

    def __init__(self):
        self._process = None

    async def ready(self):
        """Wait until everything is loaded."""
        if self._process is None or self._process.returncode is not None:
            self._process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tests.crash.nursery",
                stdin=asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
            )
            assert await self._line() == "ready"

    async def order(self, order):
        """Have a daemon forked; its pid."""
        await self.ready()
        self._process.stdin.write(json.dumps(order).encode() + b"\n")
        return int((await self._line()).removeprefix("pid "))

    async def ended(self):
        """Wait until the child has ended; its wait status."""
        return int((await self._line()).removeprefix("ended "))

    async def close(self):
        if self._process is not None and self._process.returncode is None:
            self._process.stdin.close()
            await self._process.wait()

    async def _line(self):
        line = (await self._process.stdout.readline()).decode().strip()
        assert line, "the nursery has ended"
        return line


class Household:
    """One world, one data folder, and a daemon that is started again as often as it dies by its own hand."""

    def __init__(self, folder: Path, nursery: Nursery, kill_at: str | None, *, more_toml: str = ""):
        self.world = World(folder)
        self.folder, self.kill_at = folder, kill_at
        self.deaths = 0
        self._nursery = nursery
        self._options = DaemonOptions(undo_window="0s", mail_poll_interval="1s", more_toml=more_toml)
        self._pid = None
        self._keeper = None
        self._stopping = False

    async def __aenter__(self):
        await self._nursery.ready()
        await self.world.start()
        self._config = write_config(self.world, self._options)
        self._keeper = asyncio.create_task(self._keep())
        return self

    async def __aexit__(self, *_):
        self._stopping = True
        if self._pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._pid, signal.SIGKILL)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(asyncio.shield(self._keeper), 10)
        await self.world.stop()

    async def _keep(self):
        kill_at = self.kill_at
        while not self._stopping:
            self._pid = await self._nursery.order(
                {
                    "config": str(self._config),
                    "clock": str(self.world.clock.path),
                    "trace": str(self.folder / f"trace-{self.deaths}"),
                    "log": str(self.folder / "daemon.log"),
                    "kill_at": kill_at,
                }
            )
            await self._nursery.ended()
            if not self._stopping:
                self.deaths += 1
                kill_at = None
                assert self.deaths < 5, f"the daemon does not live:\n{self.log()}"

    def log(self):
        path = self.folder / "daemon.log"
        return path.read_text()[-6000:] if path.exists() else ""

    def points(self):
        """The points that the first life passed."""
        return (self.folder / "trace-0").read_text().split("\n")[:-1]

    async def until(self, condition, what, within=WITHIN_S):
        """Wait for a condition of the world; fails with the daemon's log."""
        deadline = asyncio.get_running_loop().time() + within
        while not (found := condition()):
            if self._keeper.done():
                self._keeper.result()
            assert asyncio.get_running_loop().time() < deadline, (
                f"{what} did not come; killed at {self.kill_at}, {self.deaths} deaths\n"
                f"{[m.get('text') for m in self.bot_messages()]}\n"
                f"{self.rows('select state, tool, detail from approvals')}\n{self.log()}"
            )
            await asyncio.sleep(0.02)
        return found

    def bot_messages(self):
        """What the bot's side of the owner's chat shows now."""
        return [m for m in self.world.bot_api.messages(self.world.bot_token, OWNER_ID) if m["from"]["is_bot"]]

    def buttons(self, label):
        """Messages that have a button of this label, with its data; oldest first."""
        return [
            (m["message_id"], b["callback_data"])
            for m in self.bot_messages()
            for row in m.get("reply_markup", {}).get("inline_keyboard", [])
            for b in row
            if b["text"].startswith(label)
        ]

    def rows(self, query):
        path = self.folder / "data" / "butler.db"
        if not path.exists():
            return []
        with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
            try:
                return connection.execute(query).fetchall()
            except sqlite3.OperationalError:
                return []

    async def settled(self):
        """Wait until nothing that is due is left to do."""
        later = "('expire_approval', 'remind_approval')"
        due = f"select kind, subject from work where state = 'ready' and kind not in {later}"
        new = "select inbound_id from inbox where state = 'new'"
        await self.until(lambda: self.rows("select 1 from inbox") and not self.rows(due) and not self.rows(new), "rest")
