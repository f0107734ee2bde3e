"""The web port with webhooks behind it, on a store of its own, for tests that send to it over a socket."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, time
from pathlib import Path
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.contract.hooks import AdmittedRequest, HookReceiver, HookRefusedError, HookRequest, StoredHook
from butler.contract.ports import Clock
from butler.follow_up.quiet_hours import QuietHoursHold
from butler.hooks.rejected import Count
from butler.hooks.service import BODY_S, HookService
from butler.quiet_hours import QuietHoursInForce
from butler.services import Tell
from butler.store.open import open_store
from butler.store.queries import hooks, work
from butler.store.queries.hooks import HookRow
from butler.store.store import Store
from butler.web import serve as web
from butler.web.health import health_app
from config.approvals import QuietHours
from config.settings import Settings, WebSettings
from tests.support.services import make_services
from tests.support.ticking import Ticking

NOW = datetime(2026, 3, 2, 9, tzinfo=UTC)
ZONE, CHAT = ZoneInfo("Europe/Berlin"), "telegram:42"
RIGHT = "right"
MOST = 10_000


class StillClock(Ticking):
    """It stands where a test puts it."""

    def __init__(self) -> None:
        self.at = NOW

    def now(self) -> datetime:
        return self.at

    async def sleep_until(self, when: datetime) -> None:
        self.at = max(self.at, when)


@dataclass
class StubReceiver:
    """A receiver that lets through who knows the word, and keeps what it is told."""

    name: str = "bell"
    methods: frozenset[str] = frozenset({"POST", "HEAD"})
    largest: int = 1_000
    per_minute: int = 1_000
    seen: list[HookRequest] = field(default_factory=list[HookRequest])
    acted: list[StoredHook] = field(default_factory=list[StoredHook])
    fails: list[Exception] = field(default_factory=list[Exception])
    cannot: list[Exception] = field(default_factory=list[Exception])

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        if self.cannot:
            raise self.cannot.pop(0)
        if request.method == "HEAD":
            return AdmittedRequest(key="", keep=False)
        self.seen.append(request)
        if request.headers.get("x-word") != RIGHT:
            raise HookRefusedError(403, "the word is wrong")
        return AdmittedRequest(key=request.headers.get("x-key", "one"), headers={"x-kind": "ring"}, answer=b"ding")

    async def act(self, hook: StoredHook) -> None:
        if self.fails:
            raise self.fails.pop(0)
        self.acted.append(hook)


@dataclass
class Served:
    """What a test has of it."""

    port: int
    store: Store
    clock: StillClock
    harness: HookService
    told: list[tuple[str, str]]
    counted: list[tuple[str, str]]
    woken: list[bool]

    async def raw(self, data: bytes, *, within_s: float = 60.0, end: bool = False) -> bytes:
        """What comes back until the connection is closed, or the answer to one request is whole."""
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        try:
            writer.write(data)
            if end:
                writer.write_eof()
            return await asyncio.wait_for(reader.read(), within_s)
        except ConnectionError:
            return b""
        finally:
            writer.close()

    async def post(self, path: str, body: bytes = b"{}", method: str = "POST", **headers: str) -> tuple[int, bytes]:
        """One request on a connection of its own: the status, and the body of the answer."""
        lines = [f"{method} {path} HTTP/1.1", "Host: butler.example", "Connection: close"]
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        lines += [] if method in {"HEAD", "GET"} else [f"Content-Length: {len(body)}"]
        head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
        return answer(await self.raw(head if method in {"HEAD", "GET"} else head + body))

    async def rows(self) -> Sequence[HookRow]:
        """What is stored, the oldest first."""
        return await self.store.read(lambda c: hooks.newest(c, MOST))

    async def work(self) -> list[tuple[str, str, str]]:
        """What waits to be looked at: kind, subject, lane."""

        def look(connection: sa.Connection) -> list[tuple[str, str, str]]:
            return [(row.kind, row.subject, row.lane) for row in work.written(connection, 0)]

        return await self.store.read(look)

    async def act(self) -> None:
        """Act on all that waits, once."""
        handler = self.harness.handlers()[hooks.HOOK]
        for kind, subject, _ in await self.work():
            if kind == hooks.HOOK:
                await handler(subject)


def answer(raw: bytes) -> tuple[int, bytes]:
    """The status and the body of an answer; 0 where there is none."""
    head, _, body = raw.partition(b"\r\n\r\n")
    return (int(head.split(b" ")[1]), body) if head else (0, b"")


class Home:
    """The way to the owner, of which only the chat is asked."""

    def home(self) -> str | None:
        return CHAT


def make_harness(
    store: Store,
    clock: Clock,
    receivers: Sequence[HookReceiver],
    woken: list[bool],
    *,
    tell: Tell,
    count: Count,
    settings: WebSettings,
) -> HookService:
    """Webhooks of these receivers, in quiet hours from ten to seven."""

    def wake() -> None:
        woken.append(True)

    quiet = QuietHoursHold(store, clock, ZONE, QuietHoursInForce(QuietHours(time(22), time(7))), wake)
    services = make_services(
        *(store, clock), zone=ZONE, wake=wake, channel=Home(), settings=Settings(web=settings), tell=tell
    )
    return HookService(services, receivers, quiet, count)


@asynccontextmanager
async def serving(
    folder: Path,
    *receivers: HookReceiver,
    settings: WebSettings | None = None,
    url: str = "sqlite://",
    body_s: float = BODY_S,
) -> AsyncIterator[Served]:
    """Serve these on a free port."""
    store = open_store(url, data_dir=folder)
    clock, told, counted, woken = StillClock(), list[tuple[str, str]](), list[tuple[str, str]](), list[bool]()

    async def tell(key: str, sentence: str) -> None:
        told.append((key, sentence))

    settings = (settings or WebSettings()).model_copy(update={"port": _free_port()})
    count: Callable[[str, str], None] = lambda name, outcome: counted.append((name, outcome))  # noqa: E731 - a recorder
    harness = make_harness(store, clock, receivers, woken, tell=tell, count=count, settings=settings)

    async def nothing() -> bytes:
        return b""

    app = health_app(clock, dict, nothing, harness.routes(body_s))
    server = asyncio.create_task(web.serve(app, settings))
    try:
        await _listening(settings.port)
        yield Served(settings.port, store, clock, harness, told, counted, woken)
    finally:
        server.cancel()
        await asyncio.gather(server, return_exceptions=True)
        await store.close()


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])


async def _listening(port: int) -> None:
    async with asyncio.timeout(60):
        while True:
            try:
                _, writer = await asyncio.open_connection("127.0.0.1", port)
            except ConnectionError:
                await asyncio.sleep(0.005)
                continue
            writer.close()
            return
