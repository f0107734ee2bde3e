"""Lookup tables that Postfix asks over TCP (tcp_table(5)): a change holds from the next question on.

Postfix notices that a file has changed only now and then, too late for tests that add users as they go.
"""

import asyncio
from collections.abc import Mapping
from urllib.parse import quote, unquote

from butler_demo.serving import close_listener


class LookupServer:
    """Answers from `rows`, which may change at any time."""

    def __init__(self, rows: Mapping[str, str]) -> None:
        self._rows = rows
        self._connections: set[asyncio.StreamWriter] = set()

    async def start(self) -> str:
        """Listen on a free loopback port; returns the table as Postfix names it."""
        self._listener = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        return f"tcp:127.0.0.1:{self._listener.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        await close_listener(self._listener)
        for writer in tuple(self._connections):
            writer.transport.abort()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._connections.add(writer)
        try:
            while line := await reader.readline():
                key = unquote(line.decode().strip().removeprefix("get "))
                row = self._rows.get(key.lower())
                writer.write(b"500 none\n" if row is None else f"200 {quote(row)}\n".encode())
                await writer.drain()
        except ConnectionError:
            return
        finally:
            self._connections.discard(writer)
            writer.close()
