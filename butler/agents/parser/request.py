"""The messages between the parser and its child process, over pipes: a length and JSON, to the child with the file."""

import json
import struct
from dataclasses import asdict, dataclass
from typing import Any

from butler.contract.speech import say

LENGTH = struct.Struct(">I")
LONGEST_ANSWER = 64 * 1024 * 1024
"""Bytes of JSON."""


@dataclass(frozen=True, slots=True)
class Request:
    """One file to be read, followed by its bytes: the reading process itself opens no files."""

    size: int
    """Bytes."""
    file_type: str
    """A `FileType`; the content decides where it says otherwise."""
    seconds: float
    """Of processor, how long it may take; what was not come to is said."""
    force_ocr: bool = False
    ocr: bool = True
    password: str | None = None
    """On standard input alone: neither arguments nor environment ever hold it."""

    def __repr__(self) -> str:
        return f"Request(file_type={self.file_type!r})"

    def to_bytes(self) -> bytes:
        data = json.dumps(asdict(self)).encode()
        return LENGTH.pack(len(data)) + data

    @classmethod
    def from_bytes(cls, data: bytes) -> "Request":
        return cls(**json.loads(data))


def too_long(seconds: float) -> str:
    """Why there is nothing of a file that takes too long."""
    return say("The file took longer than {seconds} seconds to read ([documents] timeout_s).", seconds=f"{seconds:g}")


def to_answer(data: dict[str, Any]) -> bytes:
    """An answer for the pipe; half of a surrogate pair becomes a question mark."""
    encoded = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    return LENGTH.pack(len(encoded)) + encoded
