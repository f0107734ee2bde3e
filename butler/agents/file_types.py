"""Detects the type of a file: by its content, then by its name; what the sender says counts last.

Reads only the beginning of a file and, for Office files, the names in its directory, within narrow limits.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from butler.agents.parser.content import content_type_of, why_not
from butler.agents.parser.port import FileType
from butler.contract.file_signs import is_mail
from butler.contract.speech import say

_HEAD = 4_096
_TAIL = 66_000
_DIRECTORY = 512 * 1024
_ENTRIES = 4_000
_OFFICE: dict[str, FileType] = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r\f\b\x1b")
_BY_CONTENT: dict[str, FileType] = {"pdf": "pdf", "image": "image", "html": "html", "ics": "ics"}
_OFFICE_ENDINGS: dict[str, FileType] = {".docx": "docx", ".xlsx": "xlsx", ".pptx": "pptx"}
_BY_ENDING: dict[str, FileType] = {
    ".htm": "html",
    ".html": "html",
    ".xhtml": "html",
    ".csv": "csv",
    ".tsv": "csv",
    ".md": "md",
    ".markdown": "md",
    ".eml": "eml",
    ".ics": "ics",
}
_BY_MEDIA: dict[str, FileType] = {
    "text/html": "html",
    "application/xhtml+xml": "html",
    "text/csv": "csv",
    "text/tab-separated-values": "csv",
    "text/markdown": "md",
    "message/rfc822": "eml",
    "text/calendar": "ics",
}
TEXTS: frozenset[FileType] = frozenset({"html", "txt", "csv", "md", "ics"})
"""Types whose bytes are text in one character set."""


def file_type_of(path: Path, name: str = "", media_type: str = "") -> FileType | None:
    """Return the type of a file; None for one that is not supported. Raise `OSError`."""
    ending = os.path.splitext(name.lower())[1]  # noqa: PTH122 - a name of somebody's is data, no path
    with path.open("rb") as file:
        head = file.read(_HEAD)
        match content_type_of(head):
            case "zip":
                return _office(file) or _OFFICE_ENDINGS.get(ending)
            case "ole":  # an old Office file, or a new one that is encrypted
                return _OFFICE_ENDINGS.get(ending)
            case "":
                named = _BY_ENDING.get(ending) or _BY_MEDIA.get(media_type.lower())
                if named is None and is_mail(head, name):
                    named = "eml"
                return (named or "txt") if _is_text(head) else None
            case found:
                return _BY_CONTENT.get(found)


def why_unread(path: Path) -> str:
    """Return a sentence about a file without a supported type. Raise `OSError`."""
    with path.open("rb") as file:
        return why_not(file.read(_HEAD)).rstrip(".") or say("it is no kind of file that Butler reads")


def _is_text(head: bytes) -> bool:
    return not why_not(head) and (head.startswith(_BOMS) or not any(byte in _CONTROL for byte in head))


def _office(file: BinaryIO) -> FileType | None:
    """Return the type of an Office file, by the first name in its directory that only one type has."""
    for name in _names(file):
        for folder, kind in _OFFICE.items():
            if name.startswith(folder):
                return kind
    return None


def _names(file: BinaryIO) -> Iterator[str]:
    """Yield the names in a ZIP file's central directory, if it is sound and short; unpack nothing."""
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - _TAIL))
    tail = file.read(_TAIL)
    end = tail.rfind(b"PK\x05\x06")
    if end < 0 or len(tail) < end + 22:
        return
    length, offset = struct.unpack_from("<II", tail, end + 12)
    if offset >= size:
        return
    file.seek(offset)
    directory, at = file.read(min(length, _DIRECTORY)), 0
    for _ in range(_ENTRIES):
        if directory[at : at + 4] != b"PK\x01\x02" or len(directory) < at + 46:
            return
        name, extra, comment = struct.unpack_from("<HHH", directory, at + 28)
        yield directory[at + 46 : at + 46 + name].decode("utf-8", "replace")
        at += 46 + name + extra + comment
