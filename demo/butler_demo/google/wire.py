"""One HTTP request and its answer, apart from the socket, so that the parts of a batch are answered like any other."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from aiohttp import web
from multidict import CIMultiDict


class ConnectionDropError(Exception):
    """By order the client is to see its connection close instead of an answer."""


@dataclass(frozen=True)
class ApiRequest:
    """What a client asks. `path` is percent-encoded still; header names match whatever their case."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    body: bytes
    root: str = ""

    def first(self, name: str) -> str:
        """Return the first value of a query parameter, empty if it is not there."""
        values = self.query.get(name)
        return values[0] if values else ""


@dataclass(frozen=True)
class ApiReply:
    """What the client gets."""

    status: int = 200
    body: bytes = b""
    content_type: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])

    def on_the_wire(self) -> web.Response:
        """Return the reply as the web server sends it."""
        headers = CIMultiDict(self.headers)
        if self.content_type:
            headers["Content-Type"] = self.content_type
        return web.Response(status=self.status, body=self.body, headers=headers)


async def read_request(request: web.Request) -> ApiRequest:
    """Take a request off the wire, with its whole body."""
    return ApiRequest(
        method=request.method,
        path=request.rel_url.raw_path,
        query={name: request.query.getall(name) for name in request.query},
        headers=request.headers,
        body=await request.read(),
        root=f"{request.url.origin()}/",
    )
