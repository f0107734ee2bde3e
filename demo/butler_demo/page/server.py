"""Serves the chat page on loopback, inside the demo's process."""

import asyncio
import contextlib
import socket
from collections.abc import Generator

import uvicorn

from butler_demo.daemon import Daemon
from butler_demo.page.app import Page
from butler_demo.world import World

_HOST = "127.0.0.1"
_LAST_SECONDS = 2


class PortTakenError(Exception):
    """Another program listens on the port; choose another with --port."""


class _Server(uvicorn.Server):
    """Leaves signals to the demo."""

    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


class PageServer:
    """The page behind a port; port 0 takes a free one."""

    def __init__(self, world: World, daemon: Daemon) -> None:
        self._page = Page(world, daemon)
        self._server: _Server | None = None
        self._task: asyncio.Task[None] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"http://{_HOST}:{self.port}/"

    async def start(self, port: int) -> None:
        """Listen; raises PortTakenError."""
        listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((_HOST, port))
        except OSError as error:
            listener.close()
            raise PortTakenError(f"port {port} is taken; choose another with --port") from error
        self.port = listener.getsockname()[1]
        config = uvicorn.Config(
            self._page.app(), log_config=None, access_log=False, timeout_graceful_shutdown=_LAST_SECONDS, lifespan="off"
        )
        self._server = _Server(config)
        self._task = asyncio.create_task(self._server.serve(sockets=[listener]))

    async def stop(self) -> None:
        """End open streams and close the port."""
        if self._server is None or self._task is None:
            return
        self._page.live.close()
        self._server.should_exit = True
        await self._task
