"""Splits any mail into its headers and parts with the standard library, and reports defects in its form."""

import email
import re
from collections.abc import Callable, Sequence
from copy import copy
from email.errors import (
    CloseBoundaryNotFoundDefect,
    FirstHeaderLineIsContinuationDefect,
    InvalidBase64LengthDefect,
    InvalidBase64PaddingDefect,
    MessageDefect,
    MissingHeaderBodySeparatorDefect,
    NoBoundaryInMultipartDefect,
    StartBoundaryNotFoundDefect,
)
from email.message import Message
from email.policy import compat32
from email.utils import collapse_rfc2231_value
from typing import cast

from butler.mime.regular import Defect, Headers, Part, read_content_id
from butler.mime.text import decode_bytes, decoded, lenient_base64, quoted_printable

_AS_IT_CAME = compat32.clone(max_line_length=None)
"""Does not refold long headers, which would invalidate a signature over them."""
_END_OF_HEADERS = re.compile(rb"\r?\n\r?\n")


def patiently(raw: bytes) -> tuple[Headers, Part]:
    """Parse a mail with the standard library. May raise any of its errors."""
    message = email.message_from_bytes(raw, policy=compat32)
    return _headers(message), _of_message(message)


def head_and_body(raw: bytes) -> tuple[bytes, bytes]:
    """Split a mail at its first empty line; the body is empty if there is none."""
    head, *body = _END_OF_HEADERS.split(raw, maxsplit=1)
    return head, b"".join(body)


def headers_only(raw: bytes) -> tuple[Headers, Part]:
    """Return the headers of a mail whose parts cannot be split in time, with an empty part."""
    headers = _headers(email.message_from_bytes(head_and_body(raw)[0], policy=compat32))
    return headers, Part(kind="text/plain", file_name="", attached=False, charset="", data=lambda _: b"")


def _headers(message: Message) -> Headers:
    # The usual getters hide the bytes of a header that is not ASCII.
    headers: dict[str, list[str]] = {}
    for name, value in message.raw_items():
        headers.setdefault(name.lower(), []).append(str(value))
    return headers


def _of_message(part: Message) -> Part:
    content_type = part.get_content_type()
    named = _KIND.match(content_type)
    kind = named[0] if named else "text/plain"
    text = str(part.get("content-type", ""))
    inner = cast("list[Message]", part.get_payload()) if part.is_multipart() else None
    multipart = content_type.startswith("multipart/")
    holds = _mail_in(part, inner[0]) if inner and kind in _MAILS else None
    parameters = _parameters(part) if ";" in text else {}
    defects = {known for found in part.defects if (known := _known(found)) is not None}
    if kind in _NOT_HERE:
        defects.add(_NOT_HERE[kind])
    return Part(
        kind=kind,
        file_name=_file_name(part) if "name" in text.lower() or "content-disposition" in part else "",
        attached=part.get_content_disposition() == "attachment",
        charset=parameters.get("charset", ""),
        data=(lambda tell: _payload(part, inner, tell))
        if holds is None
        else lambda _: holds.as_bytes(policy=_AS_IT_CAME),
        children=(lambda: map(_of_message, inner)) if multipart and inner is not None else None,
        parameters=parameters,
        content_id=read_content_id([str(value) for value in part.get_all("content-id", [])]),
        headers=None if holds is None else _headers(holds),
        inner=None if holds is None else lambda: _of_message(holds),
        defects=frozenset(defects),
    )


_MAILS = frozenset({"message/rfc822", "message/global", "message/news"})
_KIND = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+", re.ASCII)
_NOT_HERE = {"message/external-body": Defect.ELSEWHERE, "message/partial": Defect.PIECE}
_DEFECTS: dict[type[MessageDefect], Defect] = {
    StartBoundaryNotFoundDefect: Defect.NO_PARTS,
    NoBoundaryInMultipartDefect: Defect.NO_PARTS,
    CloseBoundaryNotFoundDefect: Defect.NO_END,
    MissingHeaderBodySeparatorDefect: Defect.HEADERS,
    FirstHeaderLineIsContinuationDefect: Defect.HEADERS,
}


def _known(defect: MessageDefect) -> Defect | None:
    return _DEFECTS.get(type(defect))


def _mail_in(part: Message, inner: Message) -> Message:
    """Return the mail that a part contains, even if it is encoded, which it should not be."""
    _, encoding = _encodings(part)
    if encoding not in {"base64", "quoted-printable"} or inner.keys():
        return inner
    data = cast("object", inner.get_payload(decode=True))
    decode = lenient_base64 if encoding == "base64" else quoted_printable
    return email.message_from_bytes(decode(data if isinstance(data, bytes) else b""), policy=compat32)


def _parameters(part: Message) -> dict[str, str]:
    try:
        pairs = part.get_params([], unquote=True)
    except (ValueError, TypeError, LookupError):
        return {}
    found: dict[str, str] = {}
    for name, value in pairs[1:]:
        found.setdefault(str(name).lower(), decoded(collapse_rfc2231_value(value)))
    return found


def _payload(part: Message, inner: Sequence[Message] | None, tell: Callable[[Defect], None]) -> bytes:
    if inner is not None:
        # A report, whose fields look like mails.
        return b"\n".join(child.as_bytes() for child in inner)
    known, meant = _encodings(part)
    if meant == "quoted-printable":
        # The library's decoder takes blanks at a line's end for text.
        part = copy(part)
        del part["content-transfer-encoding"]
    data = cast("object", part.get_payload(decode=True))
    data = data if isinstance(data, bytes) else b""
    if meant == "quoted-printable":
        data = quoted_printable(data)
    elif known != meant:
        # The standard library returns an unknown spelling of an encoding undecoded.
        data = lenient_base64(data) if meant == "base64" else data
    if any(isinstance(defect, (InvalidBase64PaddingDefect, InvalidBase64LengthDefect)) for defect in part.defects):
        tell(Defect.ENCODING)
    return data


def _encodings(part: Message) -> tuple[str, str]:
    """Return the encoding that a part names, as written, and the one that it means."""
    text = str(part.get("content-transfer-encoding", "")).lower()
    word = re.match(r"[\s\"']*([\w-]*)", text, re.ASCII)
    meant = word[1] if word else ""
    return text, {"base64": "base64", "quoted-printable": "quoted-printable", "quoted": "quoted-printable"}.get(
        meant, text
    )


def _file_name(part: Message) -> str:
    try:
        return decoded(_readable(part).get_filename() or "")
    except (ValueError, TypeError, LookupError):
        return ""


def _readable(part: Message) -> Message:
    """Return the headers that name the part's file, with their non-ASCII bytes as text."""
    named = Message(policy=compat32)
    for name, value in part.raw_items():
        if name.lower() in {"content-type", "content-disposition"} and name not in named:
            data = str(value).encode("utf-8", "surrogateescape")
            named[name] = str(value) if str(value).isascii() else decode_bytes(data, "utf-8")[0]
    return named
