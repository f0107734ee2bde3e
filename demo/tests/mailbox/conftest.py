"""A running mail server with two users, and the real clients logged in to it."""

import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack
from urllib.parse import urlsplit

import aioimaplib
import aiosmtplib
import pytest

from butler_demo.mailbox.server import MailServer
from demo.tests.mailbox.clients import connected

BUTLER = "butler@home.example"
OWNER = "me@home.example"
PASSWORD = "s3cret word"
MAIL = (
    b"From: Anna <anna@friends.example>\r\nTo: butler@home.example\r\n"
    b"Subject: =?utf-8?q?Gr=C3=BC=C3=9Fe?= from Anna\r\nMessage-ID: <one@friends.example>\r\n"
    b"Date: Mon, 05 Jan 2026 10:00:00 +0000\r\n\r\nHello, butler.\r\n"
)
Login = Callable[..., Awaitable[aioimaplib.IMAP4]]


@pytest.fixture
async def server() -> AsyncIterator[MailServer]:
    server = MailServer()
    server.add_mailbox(BUTLER, PASSWORD, token="good-token")
    server.add_mailbox(OWNER, PASSWORD)
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def login(server: MailServer) -> AsyncIterator[Login]:
    async with AsyncExitStack() as clients:

        async def log_in(folder: str | None = "INBOX") -> aioimaplib.IMAP4:
            client = await clients.enter_async_context(connected(server.imap_url))
            assert (await client.login(BUTLER, PASSWORD)).result == "OK"
            if folder is not None:
                assert (await client.select(folder)).result == "OK"
            return client

        yield log_in


async def submit(server: MailServer, *rcpt_tos: str, raw: bytes = MAIL, password: str = PASSWORD):
    """Submit a mail over the plain port with the real client."""
    return await aiosmtplib.send(
        raw,
        sender=BUTLER,
        recipients=list(rcpt_tos),
        hostname="127.0.0.1",
        port=urlsplit(server.smtp_url).port,
        username=BUTLER,
        password=password,
        start_tls=False,
        timeout=3,
    )


def client_tls(server: MailServer) -> ssl.SSLContext:
    return ssl.create_default_context(cafile=server.ca_file)
