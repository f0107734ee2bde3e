"""Splits a regular mail into its headers and parts.

Most mails follow the grammar strictly, and this module parses them several times faster than the standard library. It
leaves a mail with any irregularity, however slight, to `tolerant.py`, which uses the standard library; for a regular
mail, both give the same result.
"""

import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache

from butler.mime.text import clean, quoted_printable

Headers = Mapping[str, Sequence[str]]
"""Unparsed values, by name in lower case."""


class Defect(StrEnum):
    """A defect in the form of a part, as a sentence of its own."""

    NO_PARTS = "the parts could not be told apart"
    NO_END = "a part has no end, so something may be missing"
    HEADERS = "the headers of a part are broken off"
    ENCODING = "a part is not encoded as it says, so something of it may be missing"
    ELSEWHERE = "a part of the mail lies elsewhere and was not fetched"
    PIECE = "this is only a piece of a larger mail"


_HEADER = re.compile(r"^(([!-9;-~]++):[ \t]*+([^\r\n]*+(?:\r?\n[ \t][^\r\n]*+)*+)\r?\n)", re.MULTILINE)
"""Does not backtrack: the time to try all ways to read a header would double with each of its lines."""
_REGULAR = re.compile(
    r"([\w!#$&^.+-]+/[\w!#$&^.+-]+|attachment|inline)"
    r"((?:\s*;\s*[\w-]+=(?:[\w!#$&+.^`{|}~-]+|\"[ !#-$&()+->@-\[\]-~]*\"))*)\s*;?\s*",
    re.ASCII | re.IGNORECASE,
)
"""A value of Content-Type or Content-Disposition that every parser reads in the same way."""
_LONGEST_VALUE = 2000
_LONGEST_ID = 500
_LONGEST_KNOWN = 300
"""The most bytes of a part's headers whose parsed form is cached."""
_PARAMETER = re.compile(r"([\w-]+)=(?:\"([^\"]*)\"|([^\s;]+))", re.ASCII)


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a mail, from either parser. `children` is None for a part without parts."""

    kind: str
    file_name: str
    attached: bool
    charset: str
    """Empty if none is named."""
    data: Callable[[Callable[["Defect"], None]], bytes]
    """Returns the decoded bytes; takes a callback for defects found in them."""
    children: Callable[[], Iterable["Part"]] | None = None
    parameters: Mapping[str, str] = field(default_factory=dict[str, str])
    """The parameters of its Content-Type, by name in lower case."""
    content_id: str = ""
    headers: Headers | None = None
    """The headers of the mail that the part contains, if any; `data` is that mail, and `inner` its one part."""
    inner: Callable[[], "Part"] | None = None
    defects: frozenset[Defect] = frozenset()


class IrregularError(Exception):
    """The mail is irregular, so the standard library must parse it."""


def without_lead(raw: bytes) -> bytes:
    """Return a mail without the UTF-8 mark or empty lines that programs put before a mail stored as a file."""
    return raw.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n") if raw[:1] in _LEADING else raw


_LEADING = frozenset({b"\xef", b"\r", b"\n"})


def quickly(raw: bytes) -> tuple[Headers, Part]:
    """Parse a regular mail. Raise `IrregularError` for any other, now or when a part is read."""
    block, body = _split(raw)
    headers = _headers(block)
    return headers, _with_form(_form(headers), body)


def _split(part: bytes) -> tuple[bytes, bytes]:
    end, size = _end_of_headers(part)
    return part[:end], part[end + size :]


def _headers(block: bytes) -> Headers:
    text = block.decode("ascii", "surrogateescape")
    headers: dict[str, list[str]] = {}
    length = 0
    for whole, name, value in _HEADER.findall(text):
        length += len(whole)
        if (known := headers.get(key := _lowered(name))) is None:
            headers[key] = [value]
        else:
            known.append(value)
    if length != len(text):
        raise IrregularError
    return headers


def _end_of_headers(part: bytes) -> tuple[int, int]:
    """Return where the empty line after the headers begins, and its length."""
    if part.startswith((b"\r\n", b"\n")):
        return 0, part.index(b"\n") + 1
    ends = part.find(b"\n\r\n")
    sooner = part.find(b"\n\n", 0, ends if ends >= 0 else len(part))
    if ends < 0 and sooner < 0:
        raise IrregularError
    return (sooner + 1, 1) if sooner >= 0 else (ends + 1, 2)


@lru_cache(maxsize=1024)
def _lowered(name: str) -> str:
    return name.lower()


@dataclass(frozen=True, slots=True)
class _Form:
    """The form of a part, from its headers."""

    kind: str
    file_name: str
    attached: bool
    decode: Callable[[bytes], bytes]
    boundary: bytes
    """Empty if the part has no parts."""
    parameters: Mapping[str, str]
    content_id: str


def _form(headers: Headers) -> _Form:
    kind, parameters = _regular(headers, "content-type", "text/plain")
    disposition, more = _regular(headers, "content-disposition", "inline")
    encoding = headers.get("content-transfer-encoding", ("7bit",))
    decode = _DECODERS.get(encoding[0].lower())
    boundary = parameters.get("boundary", "")
    multipart = kind.startswith("multipart/")
    if decode is None or len(encoding) > 1 or kind.startswith("message/") or kind == "multipart/digest":
        raise IrregularError
    if multipart and (not boundary or boundary != boundary.rstrip() or decode is not bytes):
        raise IrregularError
    return _Form(
        kind=kind,
        file_name=" ".join((more.get("filename") or parameters.get("name", "")).split()),
        attached=disposition == "attachment",
        decode=decode,
        boundary=boundary.encode() if multipart else b"",
        parameters=parameters,
        content_id=read_content_id(headers.get("content-id", ())),
    )


@lru_cache(maxsize=256)
def _known_form(block: bytes) -> _Form:
    # The parts of most mails have the same headers.
    return _form(_headers(block))


def _part(block: bytes, body: bytes) -> Part:
    return _with_form(_known_form(block) if len(block) <= _LONGEST_KNOWN else _form(_headers(block)), body)


def _with_form(form: _Form, body: bytes) -> Part:
    return Part(
        kind=form.kind,
        file_name=form.file_name,
        attached=form.attached,
        charset=form.parameters.get("charset", ""),
        data=lambda _: form.decode(body),
        children=(lambda: _between(body, form.boundary)) if form.boundary else None,
        parameters=form.parameters,
        content_id=form.content_id,
    )


def _between(body: bytes, boundary: bytes) -> Iterator[Part]:
    begins = 0
    for starts, ends, closing in _delimiters(body, b"--" + boundary):
        if begins:
            yield _part(*_split(body[begins:starts].removesuffix(b"\n").removesuffix(b"\r")))
        elif closing:
            break
        if closing:
            return
        begins = ends
    # There is no part, or the last one has no end.
    raise IrregularError


def _delimiters(body: bytes, mark: bytes) -> Iterator[tuple[int, int, bool]]:
    """Yield the lines that consist of `mark`: where each starts and ends, and whether it is the closing one."""
    at = body.find(mark)
    while at >= 0:
        end = body.find(b"\n", at) + 1 or len(body)
        line = body[at + len(mark) : end].removesuffix(b"\n").removesuffix(b"\r")
        if b"\r" in line or body[at - 1 : at] == b"\r":
            # Some parsers end a line at a bare CR.
            raise IrregularError
        rest = line.rstrip(b" \t")
        if rest in {b"", b"--"} and (at == 0 or body[at - 1 : at] == b"\n"):
            yield at, end, rest == b"--"
        at = body.find(mark, at + len(mark))


def _regular(headers: Headers, name: str, missing: str) -> tuple[str, Mapping[str, str]]:
    """Return a header's value in lower case, and its parameters."""
    values = headers.get(name, ())
    if not values:
        return missing, {}
    if len(values) > 1 or len(values[0]) >= _LONGEST_VALUE:
        raise IrregularError
    return _value_apart(values[0])


@lru_cache(maxsize=256)
def _value_apart(value: str) -> tuple[str, Mapping[str, str]]:
    # The parts of most mails have the same values.
    match = _REGULAR.fullmatch(value.strip())
    found = [(key.lower(), quoted or plain) for key, quoted, plain in _PARAMETER.findall(match[2])] if match else []
    if match is None or len(dict(found)) != len(found):
        raise IrregularError
    return match[1].lower(), dict(found)


def _base64(body: bytes) -> bytes:
    digits = b"".join(body.splitlines())
    if len(digits) % 4:
        # Python accepts excess padding even in strict mode.
        raise IrregularError
    try:
        return binascii.a2b_base64(digits, strict_mode=True)
    except ValueError as error:
        raise IrregularError from error


_DECODERS: dict[str, Callable[[bytes], bytes]] = {
    "7bit": bytes,
    "8bit": bytes,
    "binary": bytes,
    "base64": _base64,
    "quoted-printable": quoted_printable,
}


def read_content_id(values: Sequence[str]) -> str:
    value = values[0].strip() if values else ""
    return clean(value.removeprefix("<").removesuffix(">"))[:_LONGEST_ID] if value.isascii() else ""
