"""FETCH: which data items a command asks for, and how one mail answers them."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from butler_demo.mailbox.imap_syntax import BadSyntaxError, CommandReader, internal_date, quote
from butler_demo.mailbox.mime import Part, parse_mime
from butler_demo.mailbox.records import StoredMail

_ITEM = re.compile(rb"[A-Za-z0-9.]+")
_PARTIAL = re.compile(rb"<(\d+)\.(\d+)>")
_NO_ENVELOPE = b"(" + b" ".join([b"NIL"] * 10) + b")"  # of an enclosed mail: nobody reads it
_TEXTS = ("HEADER.FIELDS.NOT", "HEADER.FIELDS", "HEADER", "TEXT")


@dataclass(frozen=True, slots=True)
class FetchItem:
    """One data item: its label in the answer, its value, and whether it marks the mail as read."""

    label: bytes
    render: Callable[[StoredMail], bytes]
    sets_seen: bool = False


def render_flags(mail: StoredMail) -> bytes:
    return b"(" + " ".join(sorted(mail.flags)).encode() + b")"


def parse_fetch(reader: CommandReader, *, by_uid: bool) -> list[FetchItem]:
    """The rest of a FETCH command; UID FETCH answers the UID whether asked or not."""
    items: list[FetchItem] = []
    if reader.accept(b"("):
        items.append(_item(reader))
        while not reader.accept(b")"):
            reader.space()
            items.append(_item(reader))
    else:
        items.append(_item(reader))
    reader.end()
    if by_uid and not any(item.label == b"UID" for item in items):
        items.insert(0, _PLAIN["UID"])
    return items


def _item(reader: CommandReader) -> FetchItem:
    name = reader.take(_ITEM, "a fetch item")[0].decode().upper()
    if name in {"BODY", "BODY.PEEK"} and reader.accept(b"["):
        return _section(reader, peek=name == "BODY.PEEK")
    if name not in _PLAIN:
        raise BadSyntaxError(f"Unknown fetch item {name}")
    return _PLAIN[name]


def _section(reader: CommandReader, *, peek: bool) -> FetchItem:
    text = "" if reader.peek(b"]") else _section_text(reader)
    label = b"BODY[" + text.encode()
    fields: list[bytes] = []
    if text.startswith("HEADER.FIELDS"):
        fields = _field_names(reader)
        label += b" (" + b" ".join(fields) + b")"
    reader.expect(b"]")
    label += b"]"
    start, size = 0, None
    if reader.peek(b"<"):
        partial = reader.take(_PARTIAL, "a partial")
        start, size = int(partial[1]), int(partial[2])
        label += b"<%d>" % start

    def render(mail: StoredMail) -> bytes:
        octets = _section_octets(mail, text, fields)
        octets = octets[start:] if size is None else octets[start : start + size]
        return b"{%d}\r\n%b" % (len(octets), octets)

    return FetchItem(label, render, sets_seen=not peek)


def _section_text(reader: CommandReader) -> str:
    for text in _TEXTS:
        if reader.accept(text.encode()):
            return text
    raise BadSyntaxError("Unknown section")


def _field_names(reader: CommandReader) -> list[bytes]:
    reader.expect(b" (")
    names = [reader.astring()]
    while not reader.accept(b")"):
        reader.space()
        names.append(reader.astring())
    return names


def _section_octets(mail: StoredMail, text: str, fields: list[bytes]) -> bytes:
    if not text:
        return mail.raw
    mime = parse_mime(mail.raw)
    if text.startswith("HEADER.FIELDS"):
        return _pick_fields(mime.header, fields, wanted=text == "HEADER.FIELDS")
    return mime.header if text == "HEADER" else mime.body


def _pick_fields(header: bytes, names: list[bytes], *, wanted: bool) -> bytes:
    lowered = {name.lower() for name in names}
    picked: list[bytes] = []
    keep = False
    for line in header.splitlines(keepends=True):
        if line.strip() and not line[:1].isspace():
            keep = (line.partition(b":")[0].strip().lower() in lowered) is wanted
        if line.strip() and keep:
            picked.append(line)
    return b"".join(picked) + b"\r\n"


def _nstring(value: str | None) -> bytes:
    return b"NIL" if value is None else quote(value.encode("utf-8", "surrogateescape"))


def _structure(part: Part) -> bytes:
    if part.is_multipart:
        inner = b"".join(map(_structure, part.children))
        return b"(%b %b %b NIL NIL NIL)" % (inner, _nstring(part.subtype), _parameters(part))
    fields = [_nstring(part.media_type), _nstring(part.subtype), _parameters(part)]
    fields += [_nstring(part.fields.get("Content-ID")), _nstring(part.fields.get("Content-Description"))]
    fields += [_nstring(part.fields.get("Content-Transfer-Encoding", "7bit").strip())]
    fields += [b"%d" % len(part.body)]
    encloses = part.media_type == "message" and part.children
    if encloses:
        fields += [_NO_ENVELOPE, _structure(part.children[0])]
    if part.media_type == "text" or encloses:
        fields += [b"%d" % part.body.count(b"\r\n")]
    fields += [b"NIL", _disposition(part), b"NIL", b"NIL"]
    return b"(" + b" ".join(fields) + b")"


def _parameters(part: Part) -> bytes:
    return _pairs(part, "content-type")


def _pairs(part: Part, field: str) -> bytes:
    try:
        found = part.fields.get_params(header=field) or []
    except (LookupError, ValueError, TypeError):
        found = []
    pairs = [_nstring(name) + b" " + _nstring(str(value)) for name, value in found[1:] if name]
    return b"(" + b" ".join(pairs) + b")" if pairs else b"NIL"


def _disposition(part: Part) -> bytes:
    kind = part.fields.get_content_disposition()
    if not kind:
        return b"NIL"
    return b"(" + _nstring(kind) + b" " + _pairs(part, "content-disposition") + b")"


_PLAIN = {
    "UID": FetchItem(b"UID", lambda mail: b"%d" % mail.uid),
    "FLAGS": FetchItem(b"FLAGS", render_flags),
    "INTERNALDATE": FetchItem(b"INTERNALDATE", lambda mail: internal_date(mail.received_at)),
    "RFC822.SIZE": FetchItem(b"RFC822.SIZE", lambda mail: b"%d" % len(mail.raw)),
    "BODYSTRUCTURE": FetchItem(b"BODYSTRUCTURE", lambda mail: _structure(parse_mime(mail.raw))),
}
