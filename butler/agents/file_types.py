"""What kind of file something is: by what it holds, then by what it is called; a sender's word for it counts last.

Only the beginning of a file and, for Office files, the names in its directory are looked at, within narrow bounds.
"""

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from butler.contract.agents import FileType

_HEAD = 4_096
_TAIL = 66_000
_DIRECTORY = 512 * 1024
_ENTRIES = 4_000
_IMAGES = (b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF87a", b"GIF89a", b"II*\x00", b"MM\x00*")
_OFFICE: dict[str, FileType] = {"word/": "docx", "xl/": "xlsx", "ppt/": "pptx"}
_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""The old Office files, and the new ones when they are encrypted."""
_HTML = (b"<!doctype html", b"<html", b"<head", b"<body", b"<title", b"<script", b"<meta ", b"<div", b"<p>", b"<table")
_NO_TEXT = (b"{\\rtf", b"%!PS", b"\x7fELF", b"MZ")
_BOMS = (b"\xff\xfe", b"\xfe\xff", b"\xef\xbb\xbf")
_CONTROL = frozenset(range(32)) - frozenset(b"\t\n\r\f\b\x1b")
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
_OFFICE_ENDINGS: dict[str, FileType] = {".docx": "docx", ".xlsx": "xlsx", ".pptx": "pptx"}
TEXTS: frozenset[FileType] = frozenset({"html", "txt", "csv", "md", "ics"})
"""Kinds whose bytes are one text in one character set."""


def file_type_of(path: Path, name: str = "", media_type: str = "") -> FileType | None:
    """The kind of a file; None for one that nobody here reads. Raises `OSError`."""
    with path.open("rb") as file:
        head = file.read(_HEAD)
        ending = os.path.splitext(name.lower())[1]  # noqa: PTH122 - a name of somebody's is data, no path
        if head.startswith(b"PK\x03\x04"):
            return _office(file) or _OFFICE_ENDINGS.get(ending)
        if head.startswith(_OLE):
            return _OFFICE_ENDINGS.get(ending)
    return _plain(head, ending, media_type)


def _plain(head: bytes, ending: str, media_type: str) -> FileType | None:
    if found := _magic(head):
        return found
    if not _is_text(head):
        return None
    named = _BY_ENDING.get(ending) or _BY_MEDIA.get(media_type.lower())
    start = head.removeprefix(b"\xef\xbb\xbf").lstrip()
    if start[:15].upper() == b"BEGIN:VCALENDAR":
        return "ics"
    return "html" if named != "eml" and _looks_like_html(start) else named or "txt"


def _magic(head: bytes) -> FileType | None:
    if b"%PDF-" in head[:1_024]:
        return "pdf"
    # Two letters alone may begin a text, four may begin a sound.
    bitmap = head.startswith(b"BM") and head[6:10] == bytes(4)
    return "image" if head.startswith(_IMAGES) or bitmap or (head[:4], head[8:12]) == (b"RIFF", b"WEBP") else None


def _looks_like_html(start: bytes) -> bool:
    lowered = start.lower()
    if lowered.startswith((b"<?xml", b"<!--")):
        return b"<!doctype html" in lowered or b"<html" in lowered
    return lowered.startswith(_HTML)


def _is_text(head: bytes) -> bool:
    if head.startswith(_NO_TEXT):
        return False
    return head.startswith(_BOMS) or not any(byte in _CONTROL for byte in head)


def _office(file: BinaryIO) -> FileType | None:
    """By the first part of its directory that only one kind of Office file has."""
    for name in _names(file):
        for folder, kind in _OFFICE.items():
            if name.startswith(folder):
                return kind
    return None


def _names(file: BinaryIO) -> Iterator[str]:
    """The names in a ZIP file's central directory, as far as that is sound and short; nothing is unpacked."""
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
