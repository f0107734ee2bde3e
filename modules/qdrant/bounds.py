"""Answers of Qdrant's are read up to a length: its client reads all that comes, and unpacks it."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from modules._remote import http

if TYPE_CHECKING:
    from httpx import AsyncByteStream, Response

PLAIN = {"Accept-Encoding": "identity"}
"""A header that asks for answers that are not packed, so that what comes is what is read."""


async def bounded(response: "Response") -> None:
    """Called by httpx before the answer is read. Raises `IntegrationFault` for a packed one, which nobody asked for."""
    import httpx  # noqa: PLC0415 - comes with the client

    if response.headers.get("content-encoding", "identity") != "identity":
        raise http.unusable("answer of Qdrant's")
    stream = response.stream
    assert isinstance(stream, httpx.AsyncByteStream), "of an asynchronous client"

    class Bounded(httpx.AsyncByteStream):
        async def __aiter__(self) -> AsyncIterator[bytes]:
            async for piece in _up_to(stream, http.MOST_BYTES):
                yield piece

        async def aclose(self) -> None:
            await stream.aclose()

    response.stream = Bounded()


async def _up_to(stream: "AsyncByteStream", most: int) -> AsyncIterator[bytes]:
    size = 0
    async for piece in stream:
        size += len(piece)
        if size > most:
            raise http.too_long()
        yield piece
