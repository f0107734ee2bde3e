"""The web port inside the daemon's loop; signals stay the daemon's."""

import contextlib
from collections.abc import Generator
from typing import Any

import structlog
import uvicorn

from config.settings import WebSettings

log = structlog.get_logger(__name__)


class _Server(uvicorn.Server):
    @contextlib.contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        yield


async def serve(app: Any, settings: WebSettings) -> None:
    """Serve until cancelled. A port that is taken is told, and the rest lives without these pages."""
    config = uvicorn.Config(
        app, host=settings.host, port=settings.port, log_config=None, access_log=False, lifespan="off"
    )
    server = _Server(config)
    try:
        await server.serve()
    except (OSError, SystemExit):
        # uvicorn ends the program when it cannot listen; the daemon has better things to do.
        log.warning("web_port_unavailable", host=settings.host, port=settings.port)
