"""A line to a real server that can break or be slow, as networks do: a relay of bytes, which need not be understood."""

import asyncio
from typing import Self

from butler_demo.serving import close_listener


class Line:
    """Relays connections on a port of its own to one on loopback, until it is left."""

    def __init__(self, port: int) -> None:
        self._there = port
        self._ends: set[asyncio.StreamWriter] = set()
        self.delay_s = 0.0
        """How long each piece takes."""
        self.piece = 65_536
        """Bytes that arrive at once, at most."""
        self.carried = 0
        """Bytes so far, in both directions."""

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port: int = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        await close_listener(self._server)
        self.cut()

    def cut(self) -> int:
        """Break every connection, without a goodbye; how many there were."""
        ends, self._ends = self._ends, set()
        for end in ends:
            end.transport.abort()
        return len(ends) // 2

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        server_reader, server_writer = await asyncio.open_connection("127.0.0.1", self._there)
        ends = {writer, server_writer}
        self._ends |= ends
        await asyncio.gather(self._pass_on(reader, server_writer), self._pass_on(server_reader, writer))
        self._ends -= ends

    async def _pass_on(self, source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
        try:
            while data := await source.read(self.piece):
                await asyncio.sleep(self.delay_s)
                target.write(data)
                await target.drain()
                self.carried += len(data)
        except ConnectionError:
            pass
        finally:
            target.close()
