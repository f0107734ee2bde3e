# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# pyright: reportUnknownParameterType=false, reportMissingParameterType=false
"""Unpacks winmail.dat (TNEF), in which Outlook hides text and files.

tnefparse does the reading. To limit its time, objects that are not needed here are removed first, and containers with
impossibly many objects are refused.
"""

import logging
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from butler.mime.text import clean, decode_bytes

LARGEST = 40 * 1024 * 1024  # bytes
_MOST_OBJECTS = 2_000
_MOST_FILES = 100
_MOST_PROPERTIES = 2_000
_SIGNATURE = struct.Struct("<IH")
_OBJECT = struct.Struct("<BHHI")
_COUNT = struct.Struct("<I")
_CHECKSUM = 2
_MAGIC = 0x223E9F78
_ATTACHMENT_LEVEL = 2
_BODY, _CODEPAGE, _MAPI, _ATTACHED_MAPI = 0x800C, 0x9007, 0x9003, 0x9005
_BEGIN_FILE = 0x9002
_WANTED = frozenset({_BODY, _CODEPAGE, _MAPI})
_DATES = frozenset({0x8012, 0x8013})
_NAMED_PROPERTY, _SEVERAL = 0x8000, 0x1000
_SHORT = frozenset({0x0002, 0x000B})
_SIZES = {
    **dict.fromkeys((0x0002, 0x000B), 2),
    **dict.fromkeys((0x0003, 0x0004, 0x000A), 4),
    **dict.fromkeys((0x0005, 0x0006, 0x0007, 0x0014, 0x0040), 8),
    0x0048: 16,
}
"""Sizes in bytes of the value types with a fixed size."""
_LONGEST_TYPE = 100
_MIME_TAG, _CONTENT_ID = 0x370E, 0x3712


@dataclass(frozen=True, slots=True)
class Packed:
    """A file in the container."""

    name: str
    media_type: str
    data: bytes
    content_id: str = ""


@dataclass(frozen=True, slots=True)
class Container:
    """The content of a container. `html` is the text's HTML form."""

    text: str
    html: str
    files: tuple[Packed, ...]


def unpack(data: bytes) -> Container:
    """Unpack a container. Raise `ValueError` if it is damaged, too large, or none."""
    if len(data) > LARGEST:
        raise ValueError("it is too large")
    needed = b"".join(_needed(data))
    from tnefparse import TNEF  # noqa: PLC0415 - few mails have one

    logging.getLogger("tnefparse").setLevel(logging.CRITICAL)
    try:
        container: Any = TNEF(needed, do_checksum=False)
        files = [packed for found in container.attachments[:_MOST_FILES] if (packed := _file(found)) is not None]
        return Container(_text(container.body), _text(container.htmlbody), tuple(files))
    except Exception as error:
        raise ValueError(f"it is damaged ({type(error).__name__})") from error


def _needed(data: bytes) -> Iterator[bytes]:
    """Yield the pieces of the container that hold text and files."""
    if len(data) < _SIGNATURE.size or _SIGNATURE.unpack_from(data)[0] != _MAGIC:
        raise ValueError("it is not what it says")
    yield data[: _SIGNATURE.size]
    at, count, files = _SIGNATURE.size, 0, 0
    while at + _OBJECT.size + _CHECKSUM < len(data):
        level, name, _, length = _OBJECT.unpack_from(data, at)
        end = at + _OBJECT.size + length + _CHECKSUM
        count += 1
        if count > _MOST_OBJECTS:
            raise ValueError("it holds too many objects")
        if end > len(data):
            # The rest is no object: data was appended after the end.
            return
        files += level == _ATTACHMENT_LEVEL and name == _BEGIN_FILE
        inside = level == _ATTACHMENT_LEVEL and files > 0 and name not in _DATES
        if inside or name in _WANTED:
            if name in {_MAPI, _ATTACHED_MAPI}:
                _check_properties(data[at + _OBJECT.size : end - _CHECKSUM])
            yield data[at:end]
        at = end


def _check_properties(data: bytes) -> None:
    """Raise `ValueError` if an object claims more properties than it holds; the library trusts any count."""
    count, at, values = _number(data, 0), 4, 0
    for _ in range(count):
        if at >= len(data):
            return
        kind, name = struct.unpack_from("<HH", data, at) if at + 4 <= len(data) else (0, 0)
        at += 4
        if name >= _NAMED_PROPERTY:
            at += 20 + 4
            if _number(data, at - 8):
                at += _padded(_number(data, at - 4))
        several = kind & _SEVERAL
        repeated = _number(data, at) if several else 1
        at += 4 if several else 0
        for _ in range(repeated):
            values += 1
            if values > _MOST_PROPERTIES:
                raise ValueError("it holds too many properties")
            at = _after_value(data, at, kind & ~_SEVERAL, counted=not several)
        if repeated % 2 and kind & ~_SEVERAL in _SHORT:
            at += 2


def _after_value(data: bytes, at: int, kind: int, *, counted: bool) -> int:
    if kind in _SIZES:
        return at + _SIZES[kind]
    items = _number(data, at) if counted else 1
    at += 4 if counted else 0
    for _ in range(items):
        at += 4 + _padded(_number(data, at))
    return at


def _padded(length: int) -> int:
    return length + -length % 4


def _number(data: bytes, at: int) -> int:
    if at + _COUNT.size > len(data):
        raise ValueError("it is cut off")
    return _COUNT.unpack_from(data, at)[0]


def _file(found: Any) -> Packed | None:
    content = found.data[0] if isinstance(found.data, list) and found.data else found.data
    if not isinstance(content, bytes) or not content:
        return None
    properties = {attribute.name: attribute for attribute in found.mapi_attrs}
    text = _property(properties.get(_MIME_TAG)).lower()
    return Packed(
        name=_text(found.long_filename()).strip("\0"),
        media_type=text if "/" in text and text.isascii() and len(text) < _LONGEST_TYPE else "application/octet-stream",
        data=content,
        content_id=_property(properties.get(_CONTENT_ID)),
    )


def _property(attribute: Any) -> str:
    return _text(attribute.data).strip("\0 ") if attribute is not None else ""


def _text(value: object) -> str:
    if isinstance(value, list):
        return "".join(_text(item) for item in cast("list[object]", value))
    text = decode_bytes(value, "")[0] if isinstance(value, bytes) else value if isinstance(value, str) else ""
    return clean(text.replace("\r\n", "\n"), keep="\n\t")
