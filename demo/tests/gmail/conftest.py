"""The stand-in, and Google's own client library pointed at it."""

from collections.abc import AsyncIterator, Callable
from email.message import EmailMessage
from typing import Any

import pytest

from butler_demo.gmail.mime import encode_bytes
from butler_demo.gmail.server import GmailServer
from demo.tests.gmail.clients import TurnableClock
from demo.tests.google_client import ANNA, ME, anna, clock, connect, me

__all__ = ["anna", "clock", "connect", "me"]


@pytest.fixture
def api() -> str:
    return "gmail:v1"


@pytest.fixture
async def server(clock: TurnableClock) -> AsyncIterator[GmailServer]:
    server = GmailServer(now=clock)
    await server.start()
    server.add_account(ME, "Max Home")
    server.add_account(ANNA, "Anna Friend")
    yield server
    await server.stop()


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
