"""The daemon as the demo's child process: started, killed with SIGKILL, started again, stopped."""

import asyncio
import contextlib
import os
import sqlite3
import sys
from itertools import takewhile
from pathlib import Path
from typing import BinaryIO, Protocol

from butler_demo.botapi.records import Call
from butler_demo.daemon_config import DaemonOptions, write_config
from butler_demo.events import DaemonChanged, DaemonState
from butler_demo.world import World

CHILD = "butler_demo.child"
_READY_WITHIN_S = 60.0
_MAIL_READY_WITHIN_S = 10.0
_STOP_WITHIN_S = 15.0
_LOG_TAIL = 12
_ENDING = frozenset({DaemonState.KILLED, DaemonState.STOPPED})
_ENV_DROPPED = ("BUTLER_", "USER_")


class DaemonError(Exception):
    """The daemon did not do what it was started for; the message says what its log says."""


class Process(Protocol):
    """The part of `asyncio.subprocess.Process` that a daemon needs."""

    @property
    def pid(self) -> int: ...

    def kill(self) -> None: ...

    def terminate(self) -> None: ...

    async def wait(self) -> int: ...


class Daemon:
    """One daemon in one world. `child` is the module that is run, with `--config` and `--clock`."""

    def __init__(self, world: World, options: DaemonOptions | None = None, *, child: str = CHILD) -> None:
        self.log_path = world.folder / "daemon.log"
        self._world = world
        self._options = options or DaemonOptions()
        self._child = child
        self._config: Path | None = None
        self._process: Process | None = None
        self._watch: asyncio.Task[None] | None = None
        self._log: BinaryIO | None = None

    @property
    def pid(self) -> int | None:
        """The process id while it runs."""
        return self._process.pid if self._process is not None else None

    @property
    def is_running(self) -> bool:
        return self._process is not None

    async def start(self) -> None:
        """Start it and wait until it polls; raises DaemonError when it does not come up.

        One that was told to end may end first.
        """
        if self._watch is not None and self._world.stream.daemon.state in _ENDING:
            await asyncio.shield(self._watch)
        if self._process is not None:
            raise DaemonError("the daemon is running already")
        config = self._config = self._config or write_config(self._world, self._options)
        last_call = self._world.bot_api.calls[-1] if self._world.bot_api.calls else None
        self._world.calls.idling.clear()
        self._tell(DaemonState.STARTING)
        self._log = self.log_path.open("ab")
        self._process = await self._launch(config, self._log)
        self._watch = asyncio.create_task(self._watch_over(self._process))
        await self._wait_ready(last_call)
        self._tell(DaemonState.RUNNING)

    async def kill(self) -> None:
        """SIGKILL: no goodbye."""
        process, watch = self._running()
        self._tell(DaemonState.KILLED)
        process.kill()
        await watch

    async def stop(self) -> None:
        """SIGTERM, and SIGKILL to one that does not end; nothing when it is not running."""
        if self._process is None:
            return
        process, watch = self._running()
        self._tell(DaemonState.STOPPED)
        process.terminate()
        try:
            await asyncio.wait_for(asyncio.shield(watch), _STOP_WITHIN_S)
        except TimeoutError:
            process.kill()
            await watch

    def pending_approvals(self) -> int:
        """How many approvals wait for an answer, read from the daemon's rows; 0 before it has any."""
        database = self._world.folder / "data" / "butler.db"
        if not database.exists():
            return 0
        with contextlib.closing(sqlite3.connect(f"file:{database}?mode=ro", uri=True)) as connection:
            row: tuple[int] = connection.execute("SELECT count(*) FROM approvals WHERE state = 'pending'").fetchone()
        return row[0]

    def log_tail(self) -> str:
        """The last lines of the daemon's log."""
        if not self.log_path.exists():
            return ""
        return "\n".join(self.log_path.read_text("utf-8", "replace").splitlines()[-_LOG_TAIL:])

    # Within

    async def _launch(self, config: Path, log: BinaryIO) -> Process:
        command = (sys.executable, "-m", self._child, "--config", str(config), "--clock", str(self._world.clock.path))
        return await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=log,
            stderr=log,
            env=_environment(),
            start_new_session=True,  # the terminal's Ctrl-C is for the demo, which stops its child in order
        )

    def _running(self) -> tuple[Process, asyncio.Task[None]]:
        if self._process is None or self._watch is None:
            raise DaemonError("the daemon is not running")
        return self._process, self._watch

    async def _watch_over(self, process: Process) -> None:
        code = await process.wait()
        self._process = None
        if self._log is not None:
            self._log.close()
        if self._world.stream.daemon.state in {DaemonState.STARTING, DaemonState.RUNNING}:
            self._tell(DaemonState.ENDED, f"it ended by itself with code {code}")

    async def _wait_ready(self, last_call: Call | None) -> None:
        bot_api, token = self._world.bot_api, self._world.bot_token

        def has_polled() -> bool:
            if self._process is None:
                return True
            newest_first = reversed(bot_api.calls)
            fresh = takewhile(lambda call: call is not last_call, newest_first)
            polls = sum(call.method == "getUpdates" and call.error is None for call in fresh)
            return polls > 1 or (polls == 1 and bot_api.is_polling(token))

        deadline = asyncio.get_running_loop().time() + _READY_WITHIN_S
        while not has_polled():
            if asyncio.get_running_loop().time() > deadline:
                await self.stop()
                raise DaemonError(f"the daemon did not poll within {_READY_WITHIN_S:g} s; its log:\n{self.log_tail()}")
            # A short wait, because a process that ends is no change of the server.
            with contextlib.suppress(TimeoutError):
                await bot_api.wait_for(has_polled, within=0.2)
        if self._process is None:
            raise DaemonError(f"the daemon ended while it started; its log:\n{self.log_tail()}")
        # Not a condition: without its mailbox the daemon lives on.
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._world.calls.idling.wait(), _MAIL_READY_WITHIN_S)

    def _tell(self, state: DaemonState, detail: str = "") -> None:
        self._world.stream.publish(DaemonChanged(state, self.pid, detail))


def _environment() -> dict[str, str]:
    """The child's: without credentials of a real Butler, and without proxies, since everything is on loopback."""
    return {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(_ENV_DROPPED) and not name.lower().endswith("_proxy")
    }
