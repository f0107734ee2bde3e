"""Reading raw mails: the fields that searching, threading and the page need, and the headers as Gmail shows them."""

import base64
import email
import html
import re
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message as EmailMessage
from email.utils import getaddresses
from functools import cached_property
from typing import Any, TypeAlias

_SNIPPET_LENGTH = 200
_BODY = re.compile(rb"\r?\n\r?\n")
_TAGS = re.compile(r"(?s)<(script|style)\b.*?</\1>|<[^>]+>")
_MESSAGE_ID = re.compile(r"<[^<>\s]+>")
_REPLY_PREFIX = re.compile(r"(?i)^\s*(?:(?:re|fwd?|aw|wg)\s*:\s*)+")

Mime: TypeAlias = "EmailMessage[str, str]"


class MailContent:
    """What a raw mail says, read when it is asked for; header values are decoded and unfolded, addresses lower case."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    @cached_property
    def headers(self) -> tuple[tuple[str, str], ...]:
        """All headers in their order."""
        return _headers(email.message_from_bytes(_BODY.split(self._raw, maxsplit=1)[0] + b"\r\n\r\n"))

    @cached_property
    def text(self) -> str:
        """The readable text: the plain parts, else the marked up ones without their marks."""
        return self._parts[0]

    @cached_property
    def attachments(self) -> tuple[str, ...]:
        """The names of the attached files."""
        return self._parts[1]

    @cached_property
    def _parts(self) -> tuple[str, tuple[str, ...]]:
        mime = _parse(self._raw)
        leaves = [part for part in mime.walk() if not part.is_multipart() and not _filename(part)]
        plain = [_text(part) for part in leaves if part.get_content_type() == "text/plain"]
        marked = [_text(part) for part in leaves if part.get_content_type() == "text/html"]
        text = "\n".join(plain) or html.unescape(_TAGS.sub(" ", "\n".join(marked)))
        return text, tuple(name for part in mime.walk() if (name := _filename(part)))

    def header(self, name: str) -> str:
        """Return the first value of a header, empty if there is none."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), "")

    def addresses(self, *names: str) -> tuple[str, ...]:
        """Return the addresses in these headers, in order, each once."""
        values = [value for key, value in self.headers if key.lower() in {name.lower() for name in names}]
        return tuple(dict.fromkeys(address.lower() for _, address in getaddresses(values) if address))

    @property
    def subject(self) -> str:
        """The subject as written."""
        return self.header("Subject")

    @cached_property
    def base_subject(self) -> str:
        """The subject without reply and forward prefixes, for threading."""
        return _REPLY_PREFIX.sub("", self.subject).strip().lower()

    @cached_property
    def message_id(self) -> str:
        """The Message-ID with its angle brackets, empty if there is none."""
        found = _MESSAGE_ID.search(self.header("Message-ID"))
        return found.group() if found else ""

    @property
    def references(self) -> tuple[str, ...]:
        """The Message-IDs that this mail answers, nearest first."""
        cited = _MESSAGE_ID.findall(f"{self.header('References')} {self.header('In-Reply-To')}")
        return tuple(reversed(cited))

    @property
    def snippet(self) -> str:
        """The beginning of the text on one line, HTML-escaped as Gmail does."""
        return html.escape(" ".join(self.text.split())[:_SNIPPET_LENGTH])


def read_mail(raw: bytes) -> MailContent:
    """Read a raw mail; unknown charsets and broken headers are shown as well as they can be."""
    return MailContent(raw)


def payload_headers(raw: bytes, only: tuple[str, ...]) -> dict[str, Any]:
    """Return the root `MessagePart` with headers alone; `only` picks them by name, empty means all."""
    mime = _parse(raw)
    wanted = {name.lower() for name in only}
    headers = [{"name": name, "value": value} for name, value in _headers(mime) if not wanted or name.lower() in wanted]
    return {"mimeType": mime.get_content_type(), "headers": headers}


def encode_bytes(data: bytes) -> str:
    """Encode a `byte` field: base64url with padding."""
    return base64.urlsafe_b64encode(data).decode("ascii")


def _parse(raw: bytes) -> Mime:
    return email.message_from_bytes(raw)


def _filename(part: Mime) -> str:
    name = part.get_filename()
    return _decoded(name) if name else ""


def _headers(part: Mime) -> tuple[tuple[str, str], ...]:
    return tuple((name, _decoded(value)) for name, value in part.raw_items())


def _decoded(value: object) -> str:
    text = str(value).encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    unfolded = re.sub(r"\r?\n(?=[ \t])", "", text).strip()
    if "=?" not in unfolded:
        return unfolded
    try:
        return str(make_header(decode_header(unfolded)))
    except (HeaderParseError, LookupError, ValueError):
        return unfolded


def _content(part: Mime) -> bytes:
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def _text(part: Mime) -> str:
    charset = part.get_content_charset("utf-8")
    try:
        return _content(part).decode(charset, "replace")
    except LookupError:
        return _content(part).decode("utf-8", "replace")
