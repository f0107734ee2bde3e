"""Packet framing of MTProto over TCP, as the server sees it.

The full framing, which Telethon uses by default: length, sequence number, payload, CRC32.
https://core.telegram.org/mtproto/mtproto-transports
"""

import asyncio
import struct
from zlib import crc32

from butler_demo.mtproto.errors import ProtocolViolation

MAX_PACKET = 2**24


class Transport:
    """Reads and writes whole packets on one TCP connection."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self._packets_sent = 0

    async def receive(self) -> bytes:
        """The next packet's payload.

        Raises:
            asyncio.IncompleteReadError: the client closed the connection.
            ProtocolViolation: the packet is malformed.
        """
        head = await self._reader.readexactly(8)
        length, _sequence = struct.unpack("<ii", head)
        if not 12 <= length <= MAX_PACKET:
            raise ProtocolViolation(f"packet length {length} is out of bounds")
        rest = await self._reader.readexactly(length - 8)
        payload, checksum = rest[:-4], rest[-4:]
        if struct.pack("<I", crc32(head + payload)) != checksum:
            raise ProtocolViolation("packet checksum does not match")
        return payload

    def send(self, payload: bytes) -> None:
        """Queue one packet; the event loop writes it. Does nothing on a closed connection."""
        if self._writer.is_closing():
            return
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
