"""Packet framing of MTProto over TCP, as the server sees it.

The client's first bytes choose the framing: abridged (0xef), intermediate (four times 0xee), or full (neither
of them: length, sequence number, payload, CRC32). https://core.telegram.org/mtproto/mtproto-transports
"""

import asyncio
import enum
import struct
from zlib import crc32

from butler_demo.mtproto.errors import ProtocolViolation

MAX_PACKET = 2**24


class Framing(enum.Enum):
    """The three framings that Telethon speaks without a proxy."""

    ABRIDGED = "abridged"
    INTERMEDIATE = "intermediate"
    FULL = "full"


class Transport:
    """Reads and writes whole packets on one TCP connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._framing: Framing | None = None
        self._packets_sent = 0

    async def receive(self) -> bytes:
        """The next packet's payload.

        Raises:
            asyncio.IncompleteReadError: the client closed the connection.
            ProtocolViolation: the packet is malformed.
        """
        if self._framing is None:
            return await self._receive_first()
        if self._framing is Framing.ABRIDGED:
            return await self._receive_abridged()
        if self._framing is Framing.INTERMEDIATE:
            return await self._read(struct.unpack("<i", await self._reader.readexactly(4))[0])
        return await self._receive_full(b"")

    def send(self, payload: bytes) -> None:
        """Queue one packet; the event loop writes it. Does nothing on a closed connection."""
        if self._writer.is_closing():
            return
        if self._framing is Framing.ABRIDGED:
            words = len(payload) // 4
            head = bytes([words]) if words < 0x7F else b"\x7f" + words.to_bytes(3, "little")
            self._writer.write(head + payload)
        elif self._framing is Framing.INTERMEDIATE:
            self._writer.write(struct.pack("<i", len(payload)) + payload)
        else:
            packet = struct.pack("<ii", len(payload) + 12, self._packets_sent) + payload
            self._writer.write(packet + struct.pack("<I", crc32(packet)))
        self._packets_sent += 1

    def abort(self) -> None:
        """Cut the connection at once; what was queued and not yet written is lost."""
        self._writer.transport.abort()

    async def close(self) -> None:
        """Close the connection and wait until the socket is gone."""
        self._writer.close()
        try:
            await self._writer.wait_closed()
        except OSError:
            return

    async def _receive_first(self) -> bytes:
        first = await self._reader.readexactly(1)
        if first == b"\xef":
            self._framing = Framing.ABRIDGED
        elif first == b"\xee":
            await self._reader.readexactly(3)
            self._framing = Framing.INTERMEDIATE
        else:
            self._framing = Framing.FULL
            return await self._receive_full(first)
        return await self.receive()

    async def _receive_abridged(self) -> bytes:
        words = (await self._reader.readexactly(1))[0]
        if words >= 0x7F:
            words = int.from_bytes(await self._reader.readexactly(3), "little")
        return await self._read(words * 4)

    async def _receive_full(self, already_read: bytes) -> bytes:
        head = already_read + await self._reader.readexactly(8 - len(already_read))
        length, _sequence = struct.unpack("<ii", head)
        rest = await self._read(length - 8)
        payload, checksum = rest[:-4], rest[-4:]
        if struct.pack("<I", crc32(head + payload)) != checksum:
            raise ProtocolViolation("packet checksum does not match")
        return payload

    async def _read(self, length: int) -> bytes:
        if not 4 <= length <= MAX_PACKET:
            raise ProtocolViolation(f"packet length {length} is out of bounds")
        return await self._reader.readexactly(length)
