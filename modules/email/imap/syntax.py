"""IMAP commands and answers, independent of a connection (RFC 3501)."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any

from modules.email.imap.structure import cut_structure
from modules.email.imap.uids import Uids

Piece = str | bytes
"""A part of a command: text is sent as it is, bytes are a value to be quoted or sent as a literal."""

_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_QUOTABLE = re.compile(rb"[ -~]{0,500}")
_FETCH = re.compile(rb"\d+ FETCH \(", re.IGNORECASE)
_UID = re.compile(rb"\bUID (\d+)", re.IGNORECASE)
_FLAGS = re.compile(rb"\bFLAGS \(([^)]*)\)", re.IGNORECASE)
_SIZE = re.compile(rb"\bRFC822\.SIZE (\d+)", re.IGNORECASE)
_INTERNAL_DATE = re.compile(
    rb'\bINTERNALDATE "([ \d]\d)-([a-z]{3})-(\d{4}) (\d\d):(\d\d):(\d\d) ([+-])(\d\d)(\d\d)"', re.IGNORECASE
)
_BODY = re.compile(rb'\bBODY\[[^\]]*\](?:<\d+>)? (?:\{\d+\}|(NIL)|"((?:[^"\\]|\\.)*)")', re.IGNORECASE)
_CODE = re.compile(rb"\[(UIDVALIDITY|UIDNEXT|HIGHESTMODSEQ) (\d+)\]", re.IGNORECASE)
_COPIED = re.compile(rb"\[COPYUID \d+ ([\d:,]+) [\d:,]+\]", re.IGNORECASE)
_EXISTS = re.compile(rb"(\d+) EXISTS", re.IGNORECASE)
_THREAD = re.compile(rb"\d+|[()]")
_LIST = re.compile(rb'LIST \(([^)]*)\) (?:"((?:[^"\\]|\\.)*)"|NIL) (.+)', re.IGNORECASE)
_PERMANENT = re.compile(rb"\[PERMANENTFLAGS \(([^)]*)\)\]", re.IGNORECASE)
_COPYUID = re.compile(rb"\[COPYUID (\d+) ([\d:,]+) ([\d:,]+)\]", re.IGNORECASE)
_QUOTED = rb'"(?:[^"\\]|\\.)*"'
_SPACES = rb"(NIL|\((?:\((?:" + _QUOTED + rb"|[^\"()]|\([^()]*\))*\))+\))"
_NAMESPACE = re.compile(rb"(?:NAMESPACE )?" + rb" ".join([_SPACES] * 3), re.IGNORECASE)
_PREFIX = re.compile(rb'\("((?:[^"\\]|\\.)*)" (NIL|"(?:[^"\\]|\\.)*")', re.IGNORECASE)
_MOST_IN_A_RUN = 100_000


@dataclass(frozen=True, slots=True)
class FolderState:
    """The answer of SELECT about a folder. Numbers that the server left out are 0."""

    uidvalidity: int = 0
    uidnext: int = 0
    exists: int = 0
    highestmodseq: int = 0
    """Increases with each change, flags included (RFC 7162)."""
    permanent: frozenset[str] = frozenset()
    """The permanent flags; if a backslash and a star are among them, any word can become one."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """The answer of FETCH about one message; None for what is missing in it."""

    uid: int
    flags: frozenset[str] | None = None
    received_at: datetime | None = None
    size: int | None = None
    body: bytes | None = None
    structure: bytes | None = None
    """BODYSTRUCTURE as written, without its literals."""


@dataclass(frozen=True, slots=True)
class FolderName:
    """A folder in LIST; `name` is spelt for use in a command, `delimiter` stands between levels."""

    name: str
    attributes: frozenset[str]
    delimiter: str = ""


def command_chunks(pieces: Iterable[Piece]) -> list[bytes]:
    """Return a command in the chunks that are sent one after another: each but the last ends before a literal."""
    chunks = [b""]
    for piece in pieces:
        gap = b" " if chunks != [b""] else b""
        if isinstance(piece, str):
            chunks[-1] += gap + piece.encode("ascii")
        elif _QUOTABLE.fullmatch(piece):
            chunks[-1] += gap + quoted(piece)
        else:
            chunks[-1] += gap + b"{%d}" % len(piece)
            chunks.append(piece)
    return chunks


def quoted(text: bytes) -> bytes:
    """Return a quoted string."""
    return b'"' + text.replace(b"\\", b"\\\\").replace(b'"', b'\\"') + b'"'


def search_date(day: date) -> str:
    """Return a date in SEARCH's format."""
    return f"{day.day}-{_MONTHS[day.month - 1]}-{day.year}"


def read_select(lines: Iterable[bytes | bytearray]) -> FolderState:
    """Read the answer to SELECT."""
    numbers: dict[str, int] = {}
    permanent: frozenset[str] = frozenset()
    for line in lines:
        numbers |= {name.decode().lower(): int(number) for name, number in _CODE.findall(line)}
        if exists := _EXISTS.match(line):
            numbers["exists"] = int(exists[1])
        if flags := _PERMANENT.search(line):
            permanent = frozenset(flags[1].decode("ascii", "replace").lower().split())
    return FolderState(**numbers, permanent=permanent)


def read_search(lines: Iterable[bytes | bytearray]) -> list[int]:
    """Return the numbers of a SEARCH answer, with or without the answer's name before them."""
    numbers: list[int] = []
    for line in lines:
        words = bytes(line).split()
        if words and words[0].upper() == b"SEARCH":
            words = words[1:]
        if all(word.isdigit() for word in words):
            numbers += map(int, words)
    return sorted(set(numbers))


def read_threads(lines: Iterable[bytes | bytearray]) -> list[list[int]]:
    """Return the UIDs of each conversation in a THREAD answer (RFC 5256), at any nesting of its branches."""
    threads: list[list[int]] = []
    for line in lines:
        depth = 0
        for token in _THREAD.findall(line):
            if token.isdigit():
                threads[-1].append(int(token))
                continue
            if token == b"(" and depth == 0:
                threads.append([])
            depth += 1 if token == b"(" else -1
    return threads


def read_copied(lines: Iterable[bytes | bytearray]) -> set[int]:
    """Return the source UIDs that the server copied, from its COPYUID codes (RFC 4315)."""
    codes = (match for line in lines for match in _COPIED.finditer(line))
    return {uid for match in codes for uid in Uids.read(match[1].decode())}


def read_list(lines: Iterable[bytes | bytearray]) -> list[FolderName]:
    """Return the folders of a LIST answer."""
    folders: list[FolderName] = []
    for line in lines:
        text = bytes(line)
        match = _LIST.fullmatch(text if text.upper().startswith(b"LIST ") else b"LIST " + text)
        if match and match[3].isascii():
            attributes = frozenset(word.decode("ascii", "replace").lower() for word in match[1].split())
            delimiter = (match[2] or b"").decode("ascii", "replace").removeprefix("\\")
            folders.append(FolderName(match[3].decode(), attributes, delimiter))
    return folders


def read_moved(lines: Iterable[bytes | bytearray]) -> tuple[int, dict[int, int]]:
    """Return the target's UIDVALIDITY and the new UIDs by the old ones, from COPYUID codes.

    The numbers of both sets correspond in their written order; a code with sets of different sizes is ignored.
    """
    validity, moved = 0, dict[int, int]()
    for line in lines:
        for code in _COPYUID.finditer(line):
            before, after = (_in_order(numbers.decode()) for numbers in (code[2], code[3]))
            if len(before) == len(after):
                validity = int(code[1])
                moved |= dict(zip(before, after, strict=True))
    return validity, moved


def _in_order(numbers: str) -> list[int]:
    uids: list[int] = []
    for run in filter(None, numbers.split(",")):
        first, _, last = run.partition(":")
        low, high = sorted((int(first), int(last or first)))
        if high - low > _MOST_IN_A_RUN:
            return []
        uids += range(low, high + 1)
    return uids


def read_namespaces(lines: Iterable[bytes | bytearray]) -> tuple[str, tuple[str, ...]]:
    """Return the prefix of the owner's own folders, and those of others' folders (RFC 2342)."""
    for line in lines:
        match = _NAMESPACE.match(bytes(line))
        if match:
            own, *others = (
                [prefix.decode("ascii", "replace") for prefix, _ in _PREFIX.findall(part)] for part in match.groups()
            )
            return (own or [""])[0], tuple(filter(None, (prefix for part in others for prefix in part)))
    return "", ()


def read_fetch(answers: Iterable[tuple[bytes, bytes | None]]) -> dict[int, Fetched]:
    """Return messages by UID from the answers to a FETCH (text and literal of each), with items in any order.

    Interleaved updates are merged into the message they concern; those without a UID cannot be attributed reliably, and
    are left out.
    """
    found: dict[int, Fetched] = {}
    for whole, literal in answers:
        # Senders control the text of a structure, so nothing else is read out of it.
        text, written = cut_structure(whole)
        structure: dict[str, Any] = {"structure": written} if written else {}
        if _FETCH.match(text) and (uid := _UID.search(text)) is not None:
            number = int(uid[1])
            data = _items(text, literal) | structure
            found[number] = replace(found[number], **data) if number in found else Fetched(number, **data)
    return found


def _items(text: bytes, literal: bytes | None) -> dict[str, Any]:
    """Return the items of an answer."""
    data: dict[str, Any] = {}
    if flags := _FLAGS.search(text):
        data["flags"] = frozenset(flag.decode("ascii", "replace") for flag in flags[1].split())
    if size := _SIZE.search(text):
        data["size"] = int(size[1])
    if (received_at := _internal_date(text)) is not None:
        data["received_at"] = received_at
    if body := _BODY.search(text):
        data["body"] = re.sub(rb"\\(.)", rb"\1", body[2] or b"") if literal is None else literal
    return data


def _internal_date(text: bytes) -> datetime | None:
    match = _INTERNAL_DATE.search(text) if b"INTERNALDATE" in text.upper() else None
    if match is None:
        return None
    day, month, year, hour, minute, second, sign, zone_h, zone_m = match.groups()
    offset = timedelta(hours=int(zone_h), minutes=int(zone_m)) * (-1 if sign == b"-" else 1)
    try:
        number = _MONTHS.index(month.decode().title()) + 1
        zone = timezone(offset) if offset else UTC
        return datetime(int(year), number, int(day), int(hour), int(minute), int(second), tzinfo=zone)
    except ValueError:
        return None
