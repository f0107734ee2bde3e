"""A stand-in server on the loopback whose every request and answer is held against a published description.

What is not as described is noted, answered with 500, and fails the test at the end of `async with`.
"""

import json
import ssl
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

from aiohttp import web

from tests.adapters.servers.openapi import NotAsDescribedError, OpenApi


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that is as described."""

    name: str
    """The operation, such as `GET /collections/{collection_name}`."""
    path: Mapping[str, str]
    query: Mapping[str, str]
    body: Any
    """Its JSON; None for none."""
    headers: Mapping[str, str]
    """By lower-case name."""


@dataclass(frozen=True, slots=True)
class Reply:
    """JSON, or a text where `media_type` says so."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    media_type: str = "application/json"


class DescribedServer(ABC):
    """One server on a port of its own; `url` once it is entered, `requests` counts what came."""

    def __init__(self, api: OpenApi) -> None:
        self._api = api
        self.url = ""
        self.requests = 0
        self.tls: ssl.SSLContext | None = None
        """With one, set before it is entered, the server is reached by https."""
        self.violations: list[str] = []
        """What was not as described."""

    @abstractmethod
    def answer(self, asked: Asked) -> Reply:
        """Do what is asked."""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await self._runner.setup()
        await web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=self.tls).start()
        host, port = self._runner.addresses[0][:2]
        self.url = f"{'https' if self.tls else 'http'}://{host}:{port}"
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._runner.cleanup()
        assert self.violations == []

    async def _handle(self, request: web.Request) -> web.Response:
        self.requests += 1
        try:
            return self._checked(request, await request.read())
        except NotAsDescribedError as error:
            self.violations.append(str(error))
            return web.Response(status=500, text=str(error))

    def _checked(self, request: web.Request, raw: bytes) -> web.Response:
        described = self._api.match(request.method, request.path)
        body = _json(raw) if raw else None
        self._api.check_request(described, request.query, body)
        headers = {name.lower(): value for name, value in request.headers.items()}
        reply = self.answer(Asked(described.name, described.path, request.query, body, headers))
        self._api.check_answer(described, reply.status, reply.body)
        text = reply.body if reply.media_type.startswith("text/") else json.dumps(reply.body)
        return web.Response(
            status=reply.status, text=text, content_type=reply.media_type, charset="utf-8", headers=reply.headers
        )


def _json(raw: bytes) -> Any:
    try:
        return json.loads(raw)
    except ValueError:
        raise NotAsDescribedError("a body is no JSON") from None
