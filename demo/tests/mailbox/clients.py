"""The real IMAP client as the tests use it: connected, and cleanly cut at the end."""

import asyncio
import ssl
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from urllib.parse import urlsplit

import aioimaplib


@asynccontextmanager
async def connected(url: str, ca_file: str | None = None) -> AsyncIterator[aioimaplib.IMAP4]:
    """A client that has heard the greeting of `url`, over TLS where the scheme is imaps."""
    lost = asyncio.Event()
    tls = ssl.create_default_context(cafile=ca_file) if url.startswith("imaps:") else None
    client = aioimaplib.IMAP4(
        "127.0.0.1", urlsplit(url).port, timeout=60, ssl_context=tls, conn_lost_cb=lambda _: lost.set()
    )
    try:
        await client.wait_hello_from_server()
        yield client
    finally:
        # The library leaves the connection to the server to close.
        if client.protocol.transport is not None:
            client.protocol.transport.abort()
            await asyncio.wait_for(lost.wait(), 60)


def text_of(response: aioimaplib.Response) -> str:
    """All lines of an answer."""
    return b"\n".join(bytes(line) for line in response.lines).decode()
