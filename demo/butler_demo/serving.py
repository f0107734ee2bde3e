"""How stand-ins serve: their ports, and what those over HTTP have in common."""

import asyncio
import socket
import ssl
from datetime import UTC, datetime

from aiohttp import web
from aiohttp.typedefs import Handler

_ACCEPTING = 8
"""More turns of the event loop than asyncio takes from accepting a connection to running its handler."""


async def close_listener(listener: asyncio.Server) -> None:
    """Close a listener once each connection that it accepted has its handler, so that closing those closes them all.

    A server of asyncio that is closed between accepting a connection and handing it over leaves its socket open.
    """
    loop = asyncio.get_running_loop()
    for listening in listener.sockets:
        loop.remove_reader(listening.fileno())
    for _ in range(_ACCEPTING):
        await asyncio.sleep(0)
    listener.close()


def hold_port(host: str, port: int) -> socket.socket:
    """Bind a port without listening: connections are refused, and nobody else gets it. Port 0 takes a free one.

    Its server listens there with `reuse_port`, and may stop and start meanwhile.
    """
    held = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        held.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        held.bind((host, port))
    except OSError:
        held.close()
        raise
    return held


class Port:
    """A port on which a stand-in over HTTP serves; every connection is closed with it. Closed until it is opened."""

    def __init__(self, *, shutdown_timeout: float = 1) -> None:
        """Handlers under way have `shutdown_timeout` seconds to end when it is closed."""
        self._shutdown_timeout = shutdown_timeout
        self._runner: web.AppRunner | None = None
        self._listener: asyncio.Server | None = None
        self._root = ""

    async def open(
        self,
        app: web.Application,
        host: str = "127.0.0.1",
        port: int = 0,
        *,
        tls: ssl.SSLContext | None = None,
        handler_cancellation: bool = False,
    ) -> None:
        """Serve; port 0 takes a free one. With `handler_cancellation` a handler ends with its client's connection."""
        self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=self._shutdown_timeout, handler_cancellation=handler_cancellation
        )
        await self._runner.setup()
        assert self._runner.server is not None
        loop = asyncio.get_running_loop()
        self._listener = await loop.create_server(self._runner.server, host, port, ssl=tls)
        bound_host, bound_port = self._listener.sockets[0].getsockname()[:2]
        self._root = f"{'https' if tls else 'http'}://{bound_host}:{bound_port}"

    async def close(self) -> None:
        """Close every connection and the port."""
        if self._listener:
            await close_listener(self._listener)
            self._listener = None
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    @property
    def root(self) -> str:
        """Its address, without a slash at the end, also after it was closed."""
        if not self._root:
            raise RuntimeError("the stand-in has no address yet; start it first")
        return self._root


def drop(request: web.Request) -> web.Response:
    """Close the client's connection without an answer."""
    if isinstance(request.transport, asyncio.Transport):
        request.transport.abort()
    return web.Response()  # for aiohttp; nothing of it reaches the client


class HttpServer:
    """A stand-in over HTTP. Its methods are called on the event loop that serves it."""

    largest_request = 2**20
    """In bytes."""
    cancels_handlers = False
    """Whether a handler ends with its client's connection."""

    def __init__(self) -> None:
        self._port = Port()
        self._offline = False

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve; port 0 takes a free one."""
        app = web.Application(client_max_size=self.largest_request, middlewares=[self._unless_offline])
        app.add_routes(self.routes())
        await self._port.open(app, host, port, handler_cancellation=self.cancels_handlers)

    async def stop(self) -> None:
        """Close every connection and the port."""
        await self._port.close()

    @property
    def url(self) -> str:
        """The address, without a slash at its end."""
        return self._port.root

    def go_offline(self) -> None:
        """Close every connection without an answer from now on."""
        self._offline = True

    def come_back(self) -> None:
        """Answer again."""
        self._offline = False

    def routes(self) -> list[web.RouteDef]:
        """Return what is served: by default `handle` answers everything."""
        return [web.route("*", "/{path:.*}", self.handle)]

    async def handle(self, request: web.Request) -> web.StreamResponse:
        """Answer a request that no other route takes: there is nothing."""
        return web.Response(status=404, text=f"{request.method} {request.path} is not served\n")

    @web.middleware
    async def _unless_offline(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        return drop(request) if self._offline else await handler(request)


def utc_now() -> datetime:
    """Return the machine's time."""
    return datetime.now(UTC)
