"""Limits the length of Qdrant's answers: its client reads and decompresses them whole."""

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from modules._remote import http

if TYPE_CHECKING:
    from httpx import AsyncByteStream, Response

PLAIN = {"Accept-Encoding": "identity"}
"""Header that asks for uncompressed answers, so that their length on the wire is their length."""


async def bounded(response: "Response") -> None:
    """Limit an answer before httpx reads it. Raise `IntegrationFault` for a compressed one, which was not asked for."""
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
