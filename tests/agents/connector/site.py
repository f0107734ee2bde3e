"""A web site on loopback that says exactly what a test wants, and a connector that may reach it."""

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from butler.agents.connector.connector import FetchingConnector
from butler.agents.connector.web import WebFetcher
from butler.agents.connector.web_address import Reach
from butler.agents.connector.workspace import Workspace
from butler_demo.serving import close_listener
from config.agents import ConnectorSettings
from tests.support.context import MemoryVault

LOOPBACK = "127.0.0.1"
HOST = "pages.example"
"""A public server, as far as the connector knows."""
Serve = Callable[[asyncio.StreamWriter], Awaitable[None]]


def answer(
    body: bytes | str = b"", status: str = "200 OK", *, kind: str = "text/html; charset=utf-8", **headers: str
) -> bytes:
    """A whole answer; `headers` by name with `_` for `-`."""
    data = body.encode() if isinstance(body, str) else body
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(data)}", "Connection: close"]
    lines += [f"Content-Type: {kind}"] if kind else []
    lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1") + data


def redirect(location: str, status: str = "302 Found") -> bytes:
    return answer(b"", status, Location=location)


def page(text: str, *links: str) -> bytes:
    """An HTML page that is long enough to be one."""
    anchors = "".join(f'<a href="{link}">x</a>' for link in links)
    return answer(f"<!doctype html><html><body><p>{text}</p>{anchors}</body></html>")


@dataclass
class Site:
    """`pages` by path and query: an answer, several to be given in turn, or a coroutine that writes one."""

    port: int = 0
    pages: dict[str, bytes | list[bytes] | Serve] = field(default_factory=dict)
    requests: list[tuple[str, dict[str, str]]] = field(default_factory=list)
    """Host and path, and the headers in lower case."""
    resolved: list[str] = field(default_factory=list)
    names: dict[str, Sequence[str]] = field(default_factory=dict)
    """What DNS says of names; everybody else is this site."""
    tls: ssl.SSLContext | None = None

    @property
    def paths(self) -> list[str]:
        return [path for path, _ in self.requests]

    def url(self, path: str = "/", host: str = HOST, scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    async def resolve(self, host: str) -> Sequence[str]:
        self.resolved.append(host)
        return self.names.get(host, [LOOPBACK])

    def reach(self, private: Sequence[str] = ()) -> Reach:
        """All but loopback's one address is as the butler has it."""
        return Reach(
            private=Reach.of(private).private, ports=frozenset({80, 443, self.port}), allowed=frozenset({LOOPBACK})
        )

    def fetcher(
        self, settings: ConnectorSettings | None = None, *, vault: Mapping[str, str] | None = None, **options: object
    ) -> WebFetcher:
        values = {"resolve": self.resolve, "reach": self.reach(), "gap_s": 0.0, "tls": self.tls} | options
        return WebFetcher(settings or ConnectorSettings(), MemoryVault(vault or {}), **values)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            line, *fields = head.strip().split("\r\n")
            path = line.split(" ")[1]
            self.requests.append((path, {n.lower(): v for n, _, v in (one.partition(": ") for one in fields)}))
            found = self.pages.get(path, answer("nothing here", "404 Not Found"))
            if isinstance(found, list):
                found = found.pop(0) if len(found) > 1 else found[0]
            if callable(found):
                await found(writer)
            else:
                writer.write(found)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def site(tls: ssl.SSLContext | None = None) -> AsyncGenerator[Site]:
    """A running site without a page."""
    running = Site()
    server = await asyncio.start_server(running.serve, LOOPBACK, 0, ssl=tls)
    running.port = server.sockets[0].getsockname()[1]
    try:
        yield running
    finally:
        await close_listener(server)


def connector(folder: Path, fetcher: object, settings: ConnectorSettings | None = None) -> FetchingConnector:
    """A connector with one fetcher that does not pause for long."""
    made = FetchingConnector(settings or ConnectorSettings(), Workspace(folder / "workspace"), back_off_s=0.01)
    made.add([fetcher])
    return made
