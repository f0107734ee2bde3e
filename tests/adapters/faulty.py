"""A proxy on the loopback in front of a real server, which can refuse, hang, garble and drop as servers do.

`async with FaultyProxy("http://127.0.0.1:7700") as proxy` passes everything on (method, path, query, headers with the
Host as the client signed it, body) and counts it, until a fault is open:

    with proxy.fault(Fault.RATE_LIMITED):          # what the conformance suite asks for
    with proxy.broken(Status(403, {"message": "no"})):
    with proxy.broken(Status(501), only=lambda request: request.path.startswith("/render")):

With the `description` of a server, all that passes is held against it: every request, also one that meets a fault, and
every answer that is the server's own.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, Callable, Generator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from typing import Any, Self

import aiohttp
from aiohttp import web
from yarl import URL

from butler_demo.serving import Port
from tests.adapters.servers.wire import Answer, Description, Judge, NotAsDescribedError, request_of
from tests.adapters.subject import Fault

RETRY_AFTER_S = 7
HOP_BY_HOP = frozenset(
    {"connection", "keep-alive", "te", "trailers", "transfer-encoding", "upgrade", "content-length", "expect"}
)
MOST_BYTES = 256 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Status:
    """Answer with this status instead of asking the server; `body` is JSON, or bytes as they are."""

    status: int
    body: Any = field(default_factory=lambda: {"message": "refused by a test"})
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


@dataclass(frozen=True, slots=True)
class Hang:
    """Take the request and never answer."""


@dataclass(frozen=True, slots=True)
class Drop:
    """Take the request and break the connection."""


Trouble = Status | Hang | Drop
GARBLED = Status(200, b'{"half an answer": [1, 2', {"Content-Type": "application/json"})
TROUBLES: Mapping[Fault, Trouble] = {
    Fault.WRONG_KEY: Status(401),
    Fault.NOT_FOUND: Status(404),
    Fault.RATE_LIMITED: Status(429, headers={"Retry-After": str(RETRY_AFTER_S)}),
    Fault.TIMEOUT: Hang(),
    Fault.MALFORMED: GARBLED,
    Fault.DOWN: Drop(),
}


class FaultyProxy:
    """One proxy on a port of its own; `url` once it is entered, `requests` counts what came, faults and all."""

    def __init__(self, target: str, description: Description | None = None) -> None:
        """`target` is the root of the server behind, such as `http://127.0.0.1:7700`."""
        self.judge = Judge(description) if description is not None else None
        self._target = target.rstrip("/")
        self._trouble: tuple[Trouble, Callable[[web.Request], bool]] | None = None
        self._over = asyncio.Event()
        self.requests = 0
        self.told_to_wait = False
        """Whether the last fault said how long to wait."""
        self.url = ""

    async def __aenter__(self) -> Self:
        self._client = aiohttp.ClientSession(
            # None is kept for later, so that whoever counts open connections counts the client's own.
            connector=aiohttp.TCPConnector(force_close=True),
            auto_decompress=False,
            skip_auto_headers=("User-Agent", "Accept"),
        )
        app = web.Application(client_max_size=MOST_BYTES)
        app.router.add_route("*", "/{path:.*}", self._handle)
        self._port = Port(shutdown_timeout=0.1)
        await self._port.open(app)
        self.url = self._port.root
        return self

    async def __aexit__(self, *_exc: object) -> None:
        self._over.set()
        await self._port.close()
        await self._client.close()
        if self.judge is not None:
            self.judge.close()

    @contextmanager
    def broken(self, trouble: Trouble, *, only: Callable[[web.Request], bool] = lambda _: True) -> Generator[None]:
        """While it is open, requests that `only` picks meet this trouble; the others pass."""
        self._trouble, self._over = (trouble, only), asyncio.Event()
        try:
            yield
        finally:
            self._trouble = None
            self._over.set()

    @asynccontextmanager
    async def fault(self, fault: Fault, trouble: Trouble | None = None) -> AsyncGenerator[None]:
        """As a `Subject` gives it; `trouble` where the server has a form of its own for it, such as a body of XML."""
        with self.broken(trouble or TROUBLES[fault]):
            yield

    async def _handle(self, request: web.Request) -> web.StreamResponse:
        self.requests += 1
        came = await request_of(request)
        try:
            asked = self.judge.request(came) if self.judge is not None else None
            if self._trouble is not None and self._trouble[1](request):
                return await self._troubled(request, self._trouble[0])
            response, answer = await self._passed_on(request)
            if self.judge is not None and answer is not None:
                self.judge.answer(came, asked, answer)
        except NotAsDescribedError as error:
            return web.Response(status=500, text=str(error))
        return response

    async def _troubled(self, request: web.Request, trouble: Trouble) -> web.StreamResponse:
        await request.read()
        match trouble:
            case Status(status, body, headers):
                self.told_to_wait = "Retry-After" in headers
                raw = body if isinstance(body, bytes) else json.dumps(body).encode()
                return web.Response(status=status, body=raw, headers={"Content-Type": "application/json", **headers})
            case Hang():
                await self._over.wait()
            case Drop():
                pass
        _break(request)
        return web.Response(status=500)

    async def _passed_on(self, request: web.Request) -> tuple[web.StreamResponse, Answer | None]:
        headers = [(name, value) for name, value in request.headers.items() if name.lower() not in HOP_BY_HOP]
        body = await request.read()
        try:
            async with self._client.request(
                request.method,
                _as_it_is(self._target + request.raw_path),
                headers=headers,
                data=BytesIO(body) if body else None,
                allow_redirects=False,
            ) as answer:
                raw = await answer.read()
        except aiohttp.ClientError:
            _break(request)
            return web.Response(status=502), None
        kept = [(name, value) for name, value in answer.headers.items() if name.lower() not in HOP_BY_HOP]
        response = web.Response(status=answer.status, body=raw)
        response.headers.popall("Content-Type", None)
        for name, value in kept:
            response.headers.add(name, value)
        return response, Answer(answer.status, {name.lower(): value for name, value in answer.headers.items()}, raw)


def _break(request: web.Request) -> None:
    """The connection ends with a reset."""
    if request.transport is not None:
        request.transport.abort()


def _as_it_is(url: str) -> URL:
    """An address whose escapes stay as they came: a signature covers them."""

    return URL(url, encoded=True)
