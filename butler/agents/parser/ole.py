"""Reads the container of old Office files, Outlook messages and password-protected Office files."""

import struct
from dataclasses import dataclass

from butler.agents.parser.blocks import damaged
from butler.contract.speech import phrase

_LAST = 0xFFFFFFFA
"""Sector numbers from here on mean "none"."""
_HEAD = 512
_ENTRY = 128
_MOST_SECTORS = 1_000_000
_STREAM, _ROOT = 2, 5


@dataclass(frozen=True, slots=True)
class _Entry:
    kind: int
    start: int
    size: int


class Container:
    """Streams by name. Raises `UnreadableError`."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        try:
            self._open()
        except (struct.error, IndexError, OverflowError) as error:
            raise damaged(phrase("its container cannot be understood")) from error

    @property
    def names(self) -> list[str]:
        return list(self._entries)

    def stream(self, name: str) -> bytes:
        """Return the content of a stream; empty if it does not exist."""
        entry = self._entries.get(name)
        if entry is None:
            return b""
        try:
            if entry.size < self._cutoff:
                return self._chain(self._mini, entry.start, self._mini_size, self._mini_stream)[: entry.size]
            return self._chain(self._fat, entry.start, self._size, None)[: entry.size]
        except (struct.error, IndexError) as error:
            raise damaged(phrase("its container cannot be understood")) from error

    def _open(self) -> None:
        (shift, mini_shift) = struct.unpack_from("<HH", self._data, 0x1E)
        (directory,) = struct.unpack_from("<I", self._data, 0x30)
        (self._cutoff, mini_start, _, next_list, _) = struct.unpack_from("<5I", self._data, 0x38)
        if shift not in {9, 12} or mini_shift > shift:
            raise damaged(phrase("its container cannot be understood"))
        self._size, self._mini_size = 1 << shift, 1 << mini_shift
        tables = list(struct.unpack_from("<109I", self._data, 0x4C))
        while next_list < _LAST and len(tables) < _MOST_SECTORS:
            numbers = self._numbers(self._sector(next_list))
            tables += numbers[:-1]
            next_list = numbers[-1]
        self._fat = [number for one in tables if one < _LAST for number in self._numbers(self._sector(one))]
        self._entries = self._directory(self._chain(self._fat, directory, self._size, None))
        self._mini = self._numbers(self._chain(self._fat, mini_start, self._size, None))
        root = next((entry for entry in self._entries.values() if entry.kind == _ROOT), None)
        self._mini_stream = self._chain(self._fat, root.start, self._size, None) if root else b""

    def _directory(self, data: bytes) -> dict[str, _Entry]:
        found: dict[str, _Entry] = {}
        for at in range(0, len(data) - _ENTRY + 1, _ENTRY):
            (length, kind) = struct.unpack_from("<HB", data, at + 64)
            (start, size) = struct.unpack_from("<IQ", data, at + 116)
            name = data[at : at + max(0, min(length, 64) - 2)].decode("utf-16-le", "replace")
            if kind in {_STREAM, _ROOT}:
                found.setdefault(name, _Entry(kind, start, size & 0xFFFFFFFF if self._size == _HEAD else size))
        return found

    def _sector(self, number: int) -> bytes:
        at = (number + 1) * self._size
        return self._data[at : at + self._size]

    @staticmethod
    def _numbers(data: bytes) -> list[int]:
        return list(struct.unpack(f"<{len(data) // 4}I", data[: len(data) // 4 * 4]))

    def _chain(self, table: list[int], start: int, size: int, inside: bytes | None) -> bytes:
        """Follow a chain of sectors, of the file or of the stream that holds the small ones."""
        pieces: list[bytes] = []
        number = start
        while number < _LAST and len(pieces) <= len(table):
            pieces.append(self._sector(number) if inside is None else inside[number * size : (number + 1) * size])
            number = table[number]
        return b"".join(pieces)
