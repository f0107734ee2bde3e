"""Detects a file's real type by its content. Part of the child process, so nothing heavy is imported."""

import re

from butler.contract.file_signs import is_calendar
from butler.contract.speech import phrase, say

_SPACES = b" \t\r\n\xef\xbb\xbf"
_HTML = re.compile(rb"<(?:!doctype\s+html|html|head|body)\b", re.IGNORECASE)
_PDF = re.compile(rb"\A[\s\xef\xbb\xbf]*%PDF-|%PDF-\d\.\d\s*[\r\n]")
"""A PDF header at the very beginning, or at the end of a line after other data; a text may merely mention it."""
_SVG = re.compile(
    rb"(?:<\?xml[^>]*>\s*)?+(?:<!--.*?-->\s*)*+(?:<!DOCTYPE svg[^>]*>\s*)?+<svg\b", re.IGNORECASE | re.DOTALL
)
_PICTURES = (b"\x89PNG\r\n", b"\xff\xd8\xff", b"GIF8", b"II*\x00", b"MM\x00*")
_OTHERS = (
    (b"{\\rtf", phrase("Rich Text files are not read; save it as a Word or PDF file.")),
    (b"7z\xbc\xaf", phrase("It is a 7-Zip archive; unpack it and send what is to be read.")),
    (b"Rar!", phrase("It is a RAR archive; unpack it and send what is to be read.")),
    (b"\x1f\x8b", phrase("It is a compressed file; unpack it and send what is to be read.")),
    (b"\x7fELF", phrase("It is a program, which is not read.")),
    (b"MZ", phrase("It is a program, which is not read.")),
)


def content_type_of(data: bytes) -> str:
    """Return the type by the content alone: a `FileType`, `zip`, `ole`, `rtf` or `svg`; empty if it may be any text."""
    start = data[:1024]
    bare = start.lstrip(_SPACES)
    tests = {
        "zip": start.startswith((b"PK\x03\x04", b"PK\x05\x06")),
        "ole": start.startswith(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"),
        "image": start.startswith(_PICTURES)
        or (start[:4] == b"RIFF" and start[8:12] == b"WEBP")
        or (start[:2] == b"BM" and start[6:10] == bytes(4)),
        "pdf": _PDF.search(start) is not None,
        "rtf": start.startswith(b"{\\rtf"),
        "svg": _SVG.match(bare) is not None,
        "html": bare.startswith(b"<") and _HTML.search(bare[:512]) is not None,
        "ics": is_calendar(start),
    }
    return next((kind for kind, holds in tests.items() if holds), "")


def why_not(data: bytes) -> str:
    """Return a sentence about a known type that is not read; empty for any other."""
    return next((say(sentence) for magic, sentence in _OTHERS if data.startswith(magic)), "")
