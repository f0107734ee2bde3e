"""The byte side of an IMAP connection: whole commands in, literals included, and lines out."""

import asyncio
import re
from collections.abc import Callable

_LITERAL = re.compile(rb"\{(\d{1,10})(\+?)\}\r\n\Z")
LONGEST_LINE = 1 << 20
LARGEST_LITERAL = 64 << 20


class WireError(Exception):
    """The client broke the framing; the connection ends with this message in a BYE."""


class ImapWire:
    """One connection. `rewrite` may change each answer on its way out, to send what no sane server would."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        rewrite: Callable[[bytes], bytes],
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._rewrite = rewrite

    async def read_line(self) -> bytes:
        """A line with its CRLF; EOFError when the client is gone."""
        try:
            line = await self._reader.readline()
        except ValueError as error:
            raise WireError("Line too long") from error
        if not line.endswith(b"\n"):
            raise EOFError
        if not line.endswith(b"\r\n"):
            raise WireError("Lines end with CRLF")
        return line

    async def read_command(self) -> bytes:
        """A command without its last CRLF; each literal is asked for and taken in where it stands."""
        command = b""
        while True:
            command += await self.read_line()
            literal = _LITERAL.search(command)
            if literal is None:
                return command[:-2]
            size = int(literal[1])
            if size > LARGEST_LITERAL:
                raise WireError("[TOOBIG] Literal too large")
            if not literal[2]:
                self.send(b"+ OK")
                await self.flush()
            try:
                command += await self._reader.readexactly(size)
            except asyncio.IncompleteReadError as error:
                raise EOFError from error

    def send(self, line: bytes) -> None:
        """Queue one answer; its CRLF is added."""
        self._writer.write(self._rewrite(line + b"\r\n"))

    async def flush(self) -> None:
        await self._writer.drain()

    async def close(self) -> None:
        """End the connection after what was sent."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            return

    def abort(self) -> None:
        """Cut the connection at once, as a network does."""
        self._writer.transport.abort()
