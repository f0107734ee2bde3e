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

from butler_demo.serving import Port
from tests.adapters.servers.openapi import OpenApi
from tests.adapters.servers.wire import Answer, Judge, NotAsDescribedError, request_of


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that is as described."""

    name: str
    """The operation, such as `GET /collections/{collection_name}`."""
    path: Mapping[str, str]
    query: Mapping[str, str]
    """Of a parameter that is repeated, the first value."""
    body: Any
    """Its JSON; None for none."""
    headers: Mapping[str, str]
    """By lower-case name."""


@dataclass(frozen=True, slots=True)
class Reply:
    """JSON, a text where `media_type` says so, or bytes as they are."""

    body: Any
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    media_type: str = "application/json"


class DescribedServer(ABC):
    """One server on a port of its own; `url` once it is entered, `requests` counts what came."""

    def __init__(self, api: OpenApi) -> None:
        self.judge = Judge(api)
        self.url = ""
        self.requests = 0
        self.tls: ssl.SSLContext | None = None
        """With one, set before it is entered, the server is reached by https."""

    @abstractmethod
    def answer(self, asked: Asked) -> Reply:
        """Do what is asked."""

    async def __aenter__(self) -> Self:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._port = Port(shutdown_timeout=0.1)
        await self._port.open(app, tls=self.tls)
        self.url = self._port.root
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await self._port.close()
        self.judge.close()

    async def _handle(self, request: web.Request) -> web.Response:
        self.requests += 1
        came = await request_of(request)
        try:
            described = self.judge.request(came)
            query = dict(reversed(came.query))
            reply = self.answer(Asked(described.name, described.path, query, described.body, came.headers))
            response = _response(reply)
            self.judge.answer(came, described, _sent(response))
        except NotAsDescribedError as error:
            return web.Response(status=500, text=str(error))
        return response


def _response(reply: Reply) -> web.Response:
    if isinstance(reply.body, bytes):
        return web.Response(status=reply.status, body=reply.body, content_type=reply.media_type, headers=reply.headers)
    text = reply.body if reply.media_type.startswith("text/") else json.dumps(reply.body)
    return web.Response(
        status=reply.status, text=text, content_type=reply.media_type, charset="utf-8", headers=reply.headers
    )


def _sent(response: web.Response) -> Answer:
    headers = {name.lower(): value for name, value in response.headers.items()}
    assert isinstance(response.body, bytes), "a reply is whole"
    return Answer(response.status, headers, response.body)
