"""A line to a real server whose protocol is not HTTP: it can hang, garble, and break as networks do."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from enum import Enum, auto
from typing import Self

from butler_demo.serving import close_listener

GARBAGE = b"HTTP/1.1 400 Bad Request\r\n\r\n"


class Trouble(Enum):
    """What meets connections: no answer ever, an answer that makes no sense, or an end."""

    HANG = auto()
    GARBLE = auto()
    DROP = auto()


class FaultyLine:
    """Passes bytes on to a port on loopback; `port` once it is entered, `connections` counts what came."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._trouble: Trouble | None = None
        self._open: set[asyncio.StreamWriter] = set()
        self._serving: set[asyncio.Task[None]] = set()
        self.connections = 0
        self.port = 0

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._start, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_exc: object) -> None:
        await close_listener(self._server)
        self._end_all()
        await asyncio.gather(*self._serving)

    @asynccontextmanager
    async def broken(self, trouble: Trouble) -> AsyncGenerator[None]:
        """While it is open, connections meet this."""
        self._trouble = trouble
        try:
            yield
        finally:
            self._trouble = None
            self._end_all()

    def _start(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        serving = asyncio.create_task(self._connected(reader, writer))
        self._serving.add(serving)
        serving.add_done_callback(self._serving.discard)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open.add(writer)
        try:
            match self._trouble:
                case None:
                    await self._pass_on(reader, writer)
                case Trouble.HANG:
                    while await reader.read(65_536):
                        pass
                case Trouble.GARBLE:
                    await reader.read(65_536)
                    writer.write(GARBAGE)
                    await writer.drain()
                case Trouble.DROP:
                    writer.transport.abort()
        except ConnectionError:
            pass
        finally:
            self._open.discard(writer)
            writer.close()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, to_there = await asyncio.open_connection("127.0.0.1", self._target)
        try:
            async with asyncio.TaskGroup() as both:
                both.create_task(_carry(reader, to_there))
                both.create_task(_carry(there, writer))
        except* ConnectionError:
            pass
        finally:
            to_there.close()

    def _end_all(self) -> None:
        for writer in list(self._open):
            writer.transport.abort()


async def _carry(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    while data := await source.read(65_536):
        target.write(data)
        await target.drain()
    target.close()
