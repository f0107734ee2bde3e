"""A mail as a tree of raw parts, cut out byte by byte, because IMAP counts and serves bytes."""

import re
from dataclasses import dataclass
from email.message import Message

from butler_demo.mailbox.records import parse_header

_DEEPEST = 20
_BLANK_LINE = re.compile(rb"\r\n\r\n|\A\r\n")


@dataclass(frozen=True, slots=True)
class Part:
    """One entity. `header` ends with its blank line; a message/rfc822 has its message as the only child."""

    header: bytes
    body: bytes
    fields: "Message[str, str]"
    children: tuple["Part", ...]

    @property
    def media_type(self) -> str:
        return self.fields.get_content_maintype()

    @property
    def subtype(self) -> str:
        return self.fields.get_content_subtype()

    @property
    def is_multipart(self) -> bool:
        return self.media_type == "multipart" and bool(self.children)


def parse_mime(raw: bytes, depth: int = 0) -> Part:
    """Cut a raw entity into its parts; what is broken or nested too deep stays one opaque body."""
    blank = _BLANK_LINE.search(raw)
    header, body = (raw, b"") if blank is None else (raw[: blank.end()], raw[blank.end() :])
    fields = parse_header(header)
    children: tuple[Part, ...] = ()
    if depth < _DEEPEST:
        boundary = _boundary(fields)
        if boundary is not None:
            children = tuple(parse_mime(piece, depth + 1) for piece in _split(body, boundary))
        elif fields.get_content_type() == "message/rfc822" and "content-transfer-encoding" not in fields:
            children = (parse_mime(body, depth + 1),)
    return Part(header, body, fields, children)


def _boundary(fields: "Message[str, str]") -> bytes | None:
    if fields.get_content_maintype() != "multipart":
        return None
    try:
        boundary = fields.get_boundary()
    except (LookupError, ValueError, TypeError):
        return None
    return boundary.encode("utf-8", "surrogateescape") if boundary else None


def _split(body: bytes, boundary: bytes) -> list[bytes]:
    delimiter = re.compile(rb"(?:\A|\r\n)--" + re.escape(boundary) + rb"(--)?[ \t]*(?:\r\n|\Z)")
    pieces: list[bytes] = []
    start: int | None = None
    position = 0
    while (match := delimiter.search(body, position)) is not None:
        if start is not None:
            pieces.append(body[start : max(start, match.start())])
        start = None if match[1] else match.end()
        if match[1]:
            break
        # The line end of one delimiter may be the one that opens the next.
        position = max(match.end() - 2, match.start() + 1)
    if start is not None:
        pieces.append(body[start:])
    return pieces
