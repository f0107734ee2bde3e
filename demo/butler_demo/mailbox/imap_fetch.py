"""FETCH: which data items a command asks for, and how one mail answers them."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import getaddresses

from butler_demo.mailbox.imap_syntax import BadSyntaxError, CommandReader, internal_date, quote
from butler_demo.mailbox.mime import Part, parse_mime
from butler_demo.mailbox.records import StoredMail, parse_header

_ITEM = re.compile(rb"[A-Za-z0-9.]+")
_PATH = re.compile(rb"\d+(?:\.\d+)*")
_PARTIAL = re.compile(rb"<(\d+)\.(\d+)>")
_MACROS = {
    "ALL": ("FLAGS", "INTERNALDATE", "RFC822.SIZE", "ENVELOPE"),
    "FAST": ("FLAGS", "INTERNALDATE", "RFC822.SIZE"),
    "FULL": ("FLAGS", "INTERNALDATE", "RFC822.SIZE", "ENVELOPE", "BODY"),
}
_TEXTS = ("HEADER.FIELDS.NOT", "HEADER.FIELDS", "HEADER", "TEXT", "MIME")


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
        for macro, names in _MACROS.items():
            if reader.accept(macro.encode()):
                items = [_PLAIN[name] for name in names]
                break
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
    label = b"BODY["
    path: tuple[int, ...] = ()
    text = ""
    fields: list[bytes] = []
    if not reader.peek(b"]"):
        if any(reader.peek(b"%d" % digit) for digit in range(1, 10)):
            spelt = reader.take(_PATH, "a part number")[0]
            path = tuple(int(number) for number in spelt.split(b"."))
            label += spelt
            if reader.accept(b"."):
                label += b"."
                text = _section_text(reader)
        else:
            text = _section_text(reader)
        if text == "MIME" and not path:
            raise BadSyntaxError("MIME needs a part number")
        label += text.encode()
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
        octets = _section_octets(mail, path, text, fields)
        if octets is None:
            return b"NIL"
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


def _section_octets(mail: StoredMail, path: tuple[int, ...], text: str, fields: list[bytes]) -> bytes | None:
    if not path and not text:
        return mail.raw
    part = parse_mime(mail.raw).find(path)
    if part is not None and path and text not in {"", "MIME"}:
        # HEADER and TEXT below a part number belong to the mail that this part encloses.
        part = part.children[0] if part.media_type == "message" and part.children else None
    if part is None:
        return None
    if text.startswith("HEADER.FIELDS"):
        return _pick_fields(part.header, fields, wanted=text == "HEADER.FIELDS")
    return part.header if text in {"HEADER", "MIME"} else part.body


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


def _envelope(raw: bytes) -> bytes:
    header = parse_header(raw)

    def text(name: str) -> bytes:
        value = header.get(name)
        return _nstring(None if value is None else " ".join(str(value).split()))

    def people(name: str) -> bytes:
        pairs = getaddresses([str(value) for value in header.get_all(name, [])])
        spelt = [_address(display, address) for display, address in pairs if address]
        return b"(" + b"".join(spelt) + b")" if spelt else b"NIL"

    sender = people("From")
    fields = [text("Date"), text("Subject"), sender]
    fields += [people(name) if name in header else sender for name in ("Sender", "Reply-To")]
    fields += [people(name) for name in ("To", "Cc", "Bcc")]
    fields += [text("In-Reply-To"), text("Message-ID")]
    return b"(" + b" ".join(fields) + b")"


def _address(display: str, address: str) -> bytes:
    local, _, domain = address.rpartition("@")
    return b"(%b NIL %b %b)" % (_nstring(display or None), _nstring(local), _nstring(domain))


def _structure(part: Part, *, extended: bool) -> bytes:
    if part.is_multipart:
        inner = b"".join(_structure(child, extended=extended) for child in part.children)
        body = inner + b" " + _nstring(part.subtype)
        return b"(" + body + (b" " + _parameters(part) + b" NIL NIL NIL" if extended else b"") + b")"
    fields = [_nstring(part.media_type), _nstring(part.subtype), _parameters(part)]
    fields += [_nstring(part.fields.get("Content-ID")), _nstring(part.fields.get("Content-Description"))]
    fields += [_nstring(part.fields.get("Content-Transfer-Encoding", "7bit").strip())]
    fields += [b"%d" % len(part.body)]
    if part.media_type == "message" and part.children:
        child = part.children[0]
        fields += [_envelope(child.header), _structure(child, extended=extended)]
    if part.media_type == "text" or (part.media_type == "message" and part.children):
        fields += [b"%d" % part.body.count(b"\r\n")]
    if extended:
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
    "RFC822": FetchItem(b"RFC822", lambda mail: b"{%d}\r\n%b" % (len(mail.raw), mail.raw), sets_seen=True),
    "RFC822.HEADER": FetchItem(
        b"RFC822.HEADER",
        lambda mail: b"{%d}\r\n%b" % (len(header := parse_mime(mail.raw).header), header),
    ),
    "RFC822.TEXT": FetchItem(
        b"RFC822.TEXT",
        lambda mail: b"{%d}\r\n%b" % (len(body := parse_mime(mail.raw).body), body),
        sets_seen=True,
    ),
    "ENVELOPE": FetchItem(b"ENVELOPE", lambda mail: _envelope(mail.raw)),
    "BODY": FetchItem(b"BODY", lambda mail: _structure(parse_mime(mail.raw), extended=False)),
    "BODYSTRUCTURE": FetchItem(
        b"BODYSTRUCTURE",
        lambda mail: _structure(parse_mime(mail.raw), extended=True),
    ),
}
