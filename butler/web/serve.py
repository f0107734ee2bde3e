"""The web port inside the daemon's loop; signals stay the daemon's.

A client has limited time and space for its request: a connection that is idle without a request, or sends one without
an end, is closed.
"""

import asyncio
import contextlib
from collections.abc import Generator
from typing import Any

import structlog
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

from config.settings import WebSettings

log = structlog.get_logger(__name__)

HEAD_S = 10.0
"""Seconds for receiving the head of a request."""
LARGEST_HEAD = 16 * 1024
MOST_CONNECTIONS = 200
"""Further connections are answered 503."""


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield

    def close_connections(self) -> None:
        """Close the port and its connections; uvicorn leaves both when it is cancelled."""
        for listening in getattr(self, "servers", ()):
            listening.close()
        for connection in list(self.server_state.connections):
            connection.shutdown()


class HeadTimeoutProtocol(H11Protocol):
    """A connection with a time limit for the head of a request; uvicorn itself would wait forever."""

    head_s = HEAD_S
    _heads: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)  # pyright: ignore[reportArgumentType] - uvicorn narrows it
        self._expect_head()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._under_way():
            self._forget_head()
        elif self._heads is None:
            self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._forget_head()
        super().connection_lost(exc)

    def _under_way(self) -> bool:
        cycle: Any = self.cycle
        return cycle is not None and not cycle.response_complete

    def _expect_head(self) -> None:
        self._heads = self.loop.call_later(self.head_s, self._cut_off)

    def _forget_head(self) -> None:
        if self._heads is not None:
            self._heads.cancel()
            self._heads = None

    def _cut_off(self) -> None:
        self._heads = None
        if not self._under_way() and not self.transport.is_closing():
            self.transport.close()


async def serve(app: Any, settings: WebSettings) -> None:
    """Serve until cancelled. If the port is taken, report it; the rest runs without these pages."""
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http=HeadTimeoutProtocol,
        ws="none",
        proxy_headers=False,
        server_header=False,
        h11_max_incomplete_event_size=LARGEST_HEAD,
        limit_concurrency=MOST_CONNECTIONS,
        log_config=None,
        access_log=False,
        lifespan="off",
    )
    server = _Server(config)
    try:
        await server.serve()
    except (OSError, SystemExit):
        # uvicorn exits the program if it cannot listen; the daemon must go on.
        log.warning("web_port_unavailable", host=settings.host, port=settings.port)
    finally:
        server.close_connections()
