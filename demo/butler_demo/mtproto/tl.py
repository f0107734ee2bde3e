# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (Telethon's TL classes carry no complete types.)
"""TL objects to bytes and back, by Telethon's own layer."""

import struct
from typing import Any

from telethon.errors import TypeNotFoundError
from telethon.extensions import BinaryReader
from telethon.tl.core import GzipPacked

from butler_demo.mtproto.errors import ProtocolViolation

_BOOL_TRUE, _BOOL_FALSE, _VECTOR = 0x997275B5, 0xBC799737, 0x1CB5C415


def read_object(data: bytes) -> Any:
    """The object at the start of `data`; what follows it is ignored.

    Raises:
        ProtocolViolation: the bytes are no object of this TL layer.
    """
    try:
        with BinaryReader(data) as reader:
            return reader.tgread_object()
    except (TypeNotFoundError, BufferError, RuntimeError, ValueError, struct.error) as error:
        raise ProtocolViolation(f"not readable as TL: {type(error).__name__}") from error


def unpack(message: Any) -> Any:
    """A message without the compression it may be in."""
    return read_object(message.data) if isinstance(message, GzipPacked) else message


def write_object(value: Any) -> bytes:
    """A TL object, a bool, or a list of TL objects as bytes."""
    if isinstance(value, bool):
        return struct.pack("<I", _BOOL_TRUE if value else _BOOL_FALSE)
    if isinstance(value, list):
        return struct.pack("<Ii", _VECTOR, len(value)) + b"".join(bytes(item) for item in value)
    return bytes(value)
