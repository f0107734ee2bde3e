"""Detects whether a PDF file draws invisible text, by its drawing instructions."""

import re
import zlib

_STREAM = re.compile(rb"stream\r?\n")
_INVISIBLE = re.compile(rb"(?<![0-9.])\+?0*[37](?:\.0*)?(?:[\s\x00]|%[^\r\n]*[\r\n])+Tr(?![A-Za-z])")
"""Sets the text rendering mode to invisible."""
_PACKED_OTHERWISE = re.compile(rb"/(?:ASCII85Decode|A85|ASCIIHexDecode|AHx|LZWDecode|LZW|RunLengthDecode|RL)\b")
_LONGEST = 4 * 1024 * 1024
"""Bytes of one unpacked stream that are searched."""
_MOST = 150 * 1024 * 1024
"""Bytes of all streams."""
_HEAD = 600
"""Bytes before a stream that hold its compression."""


def may_be_invisible(data: bytes) -> bool:
    """Return whether a file sets the invisible mode, or may do so in an unsearched part."""
    if b"/Encrypt" in data:
        return True
    view = memoryview(data)
    total = 0
    for match in _STREAM.finditer(data):
        start = match.end()
        if _PACKED_OTHERWISE.search(data, max(0, start - _HEAD), start):
            return True
        unpacked = _unpacked(view, start) or data[start : min(data.find(b"endstream", start), start + _LONGEST)]
        total += len(unpacked)
        if total > _MOST or (b"Tr" in unpacked and _INVISIBLE.search(unpacked)):
            return True
    return False


def _unpacked(view: memoryview, start: int) -> bytes:
    try:
        return zlib.decompressobj().decompress(view[start:], _LONGEST)
    except zlib.error:
        return b""
