"""The messages between the parser and its child process, over pipes: a length and JSON, then the file for a request."""

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
    """A request to read one file, followed by its bytes: the child process itself opens no files."""

    size: int
    """Bytes."""
    file_type: str
    """A `FileType`; if the content is of another type, the content decides."""
    seconds: float
    """The limit of processor time; the parts that were not reached are reported."""
    force_ocr: bool = False
    ocr: bool = True
    password: str | None = None
    """Sent on standard input only: never in arguments or the environment."""

    def __repr__(self) -> str:
        return f"Request(file_type={self.file_type!r})"

    def to_bytes(self) -> bytes:
        data = json.dumps(asdict(self)).encode()
        return LENGTH.pack(len(data)) + data

    @classmethod
    def from_bytes(cls, data: bytes) -> "Request":
        return cls(**json.loads(data))


def too_long(seconds: float) -> str:
    """Return the message for a file that takes too long to read."""
    return say("The file took longer than {seconds} seconds to read ([documents] timeout_s).", seconds=f"{seconds:g}")


def to_answer(data: dict[str, Any]) -> bytes:
    """Encode an answer for the pipe; a lone surrogate becomes a question mark."""
    encoded = json.dumps(data, ensure_ascii=False).encode("utf-8", "replace")
    return LENGTH.pack(len(encoded)) + encoded
