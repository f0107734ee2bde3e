"""Unpacks the body of an answer within limits: the unpacked size is counted before anything is kept."""

import zlib
from collections.abc import Iterator

from butler.agents.connector.failures import unreadable
from butler.contract.errors import Retryable
from butler.contract.speech import say

ACCEPTED = "gzip, deflate"
_STEP = 256 * 1024
_MOST_MEMBERS = 100
_GZIP = b"\x1f\x8b"
_ANY_HEADER, _RAW = 47, -15


class Unpacker:
    """Unpacks a body piece by piece, into pieces of at most a quarter of a megabyte."""

    def __init__(self, encoding: str, host: str) -> None:
        """Raise `NotFetchedError` for an encoding that was not requested."""
        encoding = encoding.strip().lower()
        if encoding not in {"", "identity", "gzip", "x-gzip", "deflate"}:
            raise unreadable(
                say("{host} sends the page in a form that was not asked for, and that nothing here reads", host=host)
            )
        self._host = host
        self._plain = encoding in {"", "identity"}
        self._inflate = None if self._plain else zlib.decompressobj(_ANY_HEADER)
        self._begun = self._plain
        self._members = 1
        self._is_over = False

    def feed(self, data: bytes) -> Iterator[bytes]:
        """Yield the unpacked pieces. Raise `Retryable` if the data does not match its encoding."""
        if self._inflate is None:
            yield data
            return
        if self._is_over:
            return
        if not self._begun and data:
            self._begun = True
            if data[0] & 0x0F != zlib.DEFLATED and not _GZIP.startswith(data[:2]):
                self._inflate = zlib.decompressobj(_RAW)  # "deflate" without its required header
        try:
            yield from self._unpack(data)
        except zlib.error:
            raise Retryable(say("what {host} sent was damaged on its way", host=self._host)) from None

    def _unpack(self, data: bytes) -> Iterator[bytes]:
        assert self._inflate is not None
        while True:
            if piece := self._inflate.decompress(data, _STEP):
                yield piece
            data = self._inflate.unconsumed_tail
            if self._inflate.eof and (rest := self._inflate.unused_data):
                self._members += 1
                if self._members > _MOST_MEMBERS or not rest.startswith(_GZIP):
                    self._is_over = True  # data behind the end of a page does not belong to it
                    return
                self._inflate, data = zlib.decompressobj(_ANY_HEADER), rest
            elif not data and len(piece) < _STEP:
                return

    def end(self) -> None:
        """Raise `Retryable` if the body is incomplete."""
        if self._inflate is not None and self._begun and not self._inflate.eof:
            raise Retryable(say("{host} broke off in the middle", host=self._host))
