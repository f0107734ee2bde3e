"""The demo's daemon, forked from a process that has loaded everything instead of started from nothing."""

import asyncio
import contextlib
import os
import signal
from pathlib import Path
from typing import BinaryIO

from butler_demo.daemon import Daemon, Process
from butler_demo.daemon_config import DaemonOptions
from butler_demo.world import World
from tests.crash.daemon_harness import Nursery


class ForkedProcess:
    """Meets `Process`."""

    def __init__(self, nursery: Nursery, pid: int) -> None:
        self.pid = pid
        self._ended = asyncio.ensure_future(nursery.ended())

    def kill(self) -> None:
        self._signal(signal.SIGKILL)

    def terminate(self) -> None:
        self._signal(signal.SIGTERM)

    async def wait(self) -> int:
        return await asyncio.shield(self._ended)

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(self.pid, number)


class ForkedDaemon(Daemon):
    """The same daemon in the same world; one at a time."""

    def __init__(self, world: World, nursery: Nursery, options: DaemonOptions | None = None) -> None:
        super().__init__(world, options)
        self._nursery = nursery

    async def _launch(self, config: Path, log: BinaryIO) -> Process:
        folder = self._world.folder
        order = {
            "config": str(config),
            "clock": str(self._world.clock.path),
            "log": log.name,
            "trace": str(folder / "trace"),
            "kill_at": None,
            "load": (),
        }
        return ForkedProcess(self._nursery, await self._nursery.order(order))
