"""The stand-in, and Google's own client library pointed at it."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Iterator
from datetime import UTC, datetime, timedelta
from email.message import EmailMessage
from functools import cache
from typing import Any

import pytest
from google.oauth2.credentials import Credentials
from google_auth_httplib2 import AuthorizedHttp, Request
from googleapiclient.discovery import build_from_document
from googleapiclient.discovery_cache import get_static_doc
from googleapiclient.http import build_http

from butler.demo.gmail.mime import encode_bytes
from butler.demo.gmail.server import GmailServer

ANNA = "anna@friends.example"
ME = "me@home.example"


class TurnableClock:
    """A clock that moves only when it is told to."""

    def __init__(self) -> None:
        self.time = datetime(2026, 3, 10, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.time

    def advance(self, **by: float) -> None:
        self.time += timedelta(**by)


@cache
def _document(root_url: str) -> str:
    document = json.loads(get_static_doc("gmail", "v1"))
    document |= {"rootUrl": root_url, "baseUrl": root_url}
    del document["mtlsRootUrl"]
    return json.dumps(document)


class Client:
    """One account's client; requests run in a thread, as the library blocks."""

    def __init__(self, root_url: str, credentials: Credentials) -> None:
        self.credentials = credentials
        self.http = AuthorizedHttp(credentials, http=build_http())
        self.service = build_from_document(_document(root_url), http=self.http)

    async def __call__(self, build: Callable[[Any], Any]) -> Any:
        return await self.in_thread(build(self.service.users()).execute)

    async def apart(self, build: Callable[[Any], Any]) -> Any:
        """Execute over a connection of its own, so that several requests are under way at the same time."""
        http = AuthorizedHttp(self.credentials, http=build_http())
        try:
            return await self.in_thread(lambda: build(self.service.users()).execute(http=http))
        finally:
            http.close()

    def refresh(self) -> None:
        self.credentials.refresh(Request(self.http.http))

    async def in_thread(self, execute: Callable[[], Any]) -> Any:
        return await asyncio.to_thread(execute)


def read_credentials(text: str) -> Credentials:
    info = json.loads(text)
    return Credentials.from_authorized_user_info(info).with_token_uri(info["token_uri"])


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
async def server(clock: TurnableClock) -> AsyncIterator[GmailServer]:
    server = GmailServer(now=clock)
    await server.start()
    server.add_account(ME, "Max Home")
    server.add_account(ANNA, "Anna Friend")
    yield server
    await server.stop()


@pytest.fixture
def connect() -> Iterator[Callable[..., Client]]:
    clients: list[Client] = []

    def connect(server: GmailServer, address: str = ME, **options: Any) -> Client:
        credentials = read_credentials(server.credentials_json(address, **options))
        clients.append(Client(server.url, credentials))
        return clients[-1]

    yield connect
    for client in clients:
        client.http.close()


@pytest.fixture
def me(server: GmailServer, connect: Callable[..., Client]) -> Client:
    return connect(server, ME)


@pytest.fixture
def anna(server: GmailServer, connect: Callable[..., Client]) -> Client:
    return connect(server, ANNA)


@pytest.fixture
def mail() -> Callable[..., bytes]:
    """Build a raw mail; keyword arguments are headers, with underscores for hyphens."""

    def build(body: str = "Hello.", *, attachment: bytes | None = None, **headers: str) -> bytes:
        message = EmailMessage()
        for name, value in headers.items():
            message[name.rstrip("_").replace("_", "-")] = value
        message.set_content(body)
        if attachment is not None:
            message.add_attachment(attachment, maintype="application", subtype="pdf", filename="invoice.pdf")
        return message.as_bytes()

    return build


@pytest.fixture
def encoded(mail: Callable[..., bytes]) -> Callable[..., dict[str, str]]:
    """Build a mail as the body of `messages.send`."""

    def build(*args: Any, **headers: Any) -> dict[str, str]:
        return {"raw": encode_bytes(mail(*args, **headers))}

    return build
