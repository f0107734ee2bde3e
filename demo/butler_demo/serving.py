"""The ports on which stand-ins serve."""

import socket

from aiohttp import web


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

    def __init__(self) -> None:
        self._runner: web.AppRunner | None = None
        self._root = ""

    async def open(self, app: web.Application, host: str, port: int, *, handler_cancellation: bool = False) -> None:
        """Serve; port 0 takes a free one. With `handler_cancellation` a handler ends with its client's connection."""
        self._runner = web.AppRunner(
            app, access_log=None, shutdown_timeout=1, handler_cancellation=handler_cancellation
        )
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        bound_host, bound_port = self._runner.addresses[0][:2]
        self._root = f"http://{bound_host}:{bound_port}"

    async def close(self) -> None:
        """Close every connection and the port."""
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    @property
    def root(self) -> str:
        """Its address, without a slash at the end, also after it was closed."""
        if not self._root:
            raise RuntimeError("the stand-in has no address yet; start it first")
        return self._root
