"""Reads one raw mail into plain fields, whatever it is; what could not be read is named, never raised.

It imports nothing of ours, because it runs as a program of its own in a bounded child process (see `reader.py`):
a mail that makes it slow, large or crash costs that process only.
"""

import email
import json
import re
import struct
import sys
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC
from email.header import decode_header
from email.message import Message
from email.policy import compat32
from email.utils import getaddresses, parsedate_to_datetime
from typing import BinaryIO, cast

LONGEST_TEXT = 400_000  # characters
MOST_PARTS = 300
DEEPEST_PART = 30
_LONGEST_ID = 500
_EARLIEST_YEAR, _LATEST_YEAR = 1980, 2100

_MESSAGE_ID = re.compile(r"<[^\s<>@]+@[^\s<>@]+>")
_ENCODED_WORDS = re.compile(r"(?:=\?[^?\s]+\?[bq]\?[^?]*\?=\s*)+", re.IGNORECASE)
_STUB = re.compile(
    r"(view|read|open|see).{0,40}(html|browser|online|web)|does(n't| not) support html|html (e-?)?mail",
    re.IGNORECASE,
)
_LONGEST_STUB = 300
_HIDING = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|opacity\s*:\s*0(\.0+)?\s*(;|!|$)|font-size\s*:\s*0|"
    r"mso-hide\s*:\s*all|max-height\s*:\s*0|text-indent\s*:\s*-\d{3,}",
    re.IGNORECASE,
)
_NEVER_SHOWN = frozenset({"script", "style", "head", "title", "template", "noscript", "svg", "object", "iframe"})
QUOTE = "blockquote"
_BLOCKS = frozenset(
    {"p", "div", "tr", "li", "h1", "h2", "h3", "h4", "h5", "h6", "table", "ul", "ol", QUOTE, "pre", "hr"}
    | {"section", "article", "header", "footer"}
)

RawMessage = Message


@dataclass(frozen=True, slots=True)
class Address:
    """An address in lower case, and what its owner calls themselves."""

    address: str
    name: str = ""


@dataclass(frozen=True, slots=True)
class AttachedFile:
    """A part that is no text to read. `data` travels apart from the rest."""

    name: str
    media_type: str
    size: int


@dataclass(frozen=True, slots=True)
class ParsedMail:
    """A mail's fields. Everything in it is the sender's say; `problems` are ours."""

    subject: str = ""
    sender: Address | None = None
    to: tuple[Address, ...] = ()
    cc: tuple[Address, ...] = ()
    reply_to: tuple[Address, ...] = ()
    sent_at: str = ""
    """ISO 8601 in UTC; empty when there is no date that can be read."""
    message_id: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    auto_submitted: str = ""
    precedence: str = ""
    list_id: str = ""
    butler_mark: str = ""
    authentication_results: tuple[str, ...] = ()
    """As they stand, topmost first."""
    text: str = ""
    attachments: tuple[AttachedFile, ...] = ()
    problems: tuple[str, ...] = ()

    @property
    def thread_root(self) -> str:
        """The Message-ID that the conversation began with, as far as this mail tells; may be empty."""
        return next((known for known in (*self.references, self.in_reply_to) if known), self.message_id)


@dataclass(slots=True)
class _Reading:
    """What is collected on the way."""

    problems: list[str] = field(default_factory=list[str])
    files: list[tuple[AttachedFile, bytes]] = field(default_factory=list[tuple[AttachedFile, bytes]])
    parts: int = 0

    def problem(self, text: str) -> None:
        if text not in self.problems:
            self.problems.append(text)


def parse_mail(raw: bytes) -> tuple[ParsedMail, tuple[bytes, ...]]:
    """The fields of a mail, and the bytes of its attachments in the same order. Never raises."""
    reading = _Reading()
    try:
        message: RawMessage = email.message_from_bytes(raw, policy=compat32)
        headers = _read_headers(message, reading)
    except Exception as error:  # noqa: BLE001 - the boundary to a hostile format; the kind is recorded
        return ParsedMail(problems=(f"the mail could not be read ({type(error).__name__})",)), ()
    try:
        text = _readable(message, reading, 0).strip()
    except Exception as error:  # noqa: BLE001 - the same boundary, for the body
        reading.problem(f"the body could not be read ({type(error).__name__})")
        text = ""
    if len(text) > LONGEST_TEXT:
        text = text[:LONGEST_TEXT]
        reading.problem("the text was cut because it is very long")
    parsed = replace(
        headers,
        text=_clean(text, keep="\n\t"),
        attachments=tuple(file for file, _ in reading.files),
        problems=tuple(reading.problems),
    )
    return parsed, tuple(data for _, data in reading.files)


# Headers


def _read_headers(message: RawMessage, reading: _Reading) -> ParsedMail:
    senders = _addresses(message, "From")
    if not senders:
        reading.problem("there is no sender that can be read")
    if len(_values(message, "From")) > 1 or len(senders) > 1:
        reading.problem("there is more than one sender")
    ids = _ids(message, "Message-ID")
    if not ids:
        reading.problem("there is no Message-ID")
    elif len(_values(message, "Message-ID")) > 1:
        reading.problem("there is more than one Message-ID")
    if not _values(message, "Subject"):
        reading.problem("there is no subject")
    parents = _ids(message, "In-Reply-To")
    return ParsedMail(
        subject=_text_header(message, "Subject"),
        sender=senders[0] if senders else None,
        to=tuple(_addresses(message, "To")),
        cc=tuple(_addresses(message, "Cc")),
        reply_to=tuple(_addresses(message, "Reply-To")),
        sent_at=_date(message, reading),
        message_id=ids[0] if ids else "",
        in_reply_to=parents[0] if parents else "",
        references=tuple(_ids(message, "References")),
        auto_submitted=_text_header(message, "Auto-Submitted").lower(),
        precedence=_text_header(message, "Precedence").lower(),
        list_id=_text_header(message, "List-Id"),
        butler_mark=_text_header(message, "X-Butler"),
        authentication_results=tuple(
            _clean(" ".join(value.split())) for value in _values(message, "Authentication-Results")
        ),
    )


def _values(message: RawMessage, name: str) -> list[str]:
    """A header's values as they stand. The usual getters hide the bytes of a header that is not ASCII."""
    wanted = name.lower()
    return [str(value) for found, value in message.raw_items() if found.lower() == wanted]


def _text_header(message: RawMessage, name: str) -> str:
    values = _values(message, name)
    return _decoded(values[0]) if values else ""


def _decoded(value: str) -> str:
    """A header's text on one line: raw bytes read as UTF-8 or else as Latin script, encoded words read."""
    text, _ = _decode_bytes(value.encode("utf-8", "surrogateescape"), "utf-8")
    return _clean(" ".join(_ENCODED_WORDS.sub(_read_words, text).split()))


def _read_words(words: re.Match[str]) -> str:
    try:
        pieces = decode_header(words[0].strip())
    except ValueError:
        return words[0]
    text = "".join(
        piece if isinstance(piece, str) else _decode_bytes(piece, charset or "utf-8")[0] for piece, charset in pieces
    )
    return text + (" " if words[0][-1].isspace() else "")


def _decode_bytes(data: bytes, charset: str) -> tuple[str, bool]:
    """The text, and whether the charset that was named held true."""
    for attempt, name in enumerate((charset, "utf-8", "cp1252")):
        try:
            return data.decode(name), attempt == 0
        except (LookupError, ValueError):
            continue
    return data.decode("latin-1"), False


def _addresses(message: RawMessage, name: str) -> list[Address]:
    # Taken apart before encoded words are read, so that an encoded word cannot smuggle in an address.
    found: list[Address] = []
    for display, spelling in getaddresses(_values(message, name)):
        address = _clean(spelling).strip().lower()
        local, at, domain = address.rpartition("@")
        if local and at and domain and " " not in address:
            found.append(Address(address, _decoded(display)))
    return found


def _ids(message: RawMessage, name: str) -> list[str]:
    text = " ".join(_values(message, name))
    ids = [match for match in _MESSAGE_ID.findall(text) if len(match) <= _LONGEST_ID and match.isascii()]
    return list(dict.fromkeys(ids))[-100:] if name == "References" else ids


def _date(message: RawMessage, reading: _Reading) -> str:
    value = next(iter(_values(message, "Date")), "")
    try:
        parsed = parsedate_to_datetime(value)
        if parsed.tzinfo is None:
            parsed = parsed.replace(tzinfo=UTC)
        parsed = parsed.astimezone(UTC)
    except (ValueError, TypeError, OverflowError, IndexError):
        reading.problem("the date cannot be read")
        return ""
    if not _EARLIEST_YEAR <= parsed.year <= _LATEST_YEAR:
        reading.problem("the date cannot be true")
        return ""
    return parsed.isoformat()


def _clean(text: str, keep: str = "") -> str:
    """Without control characters and lone surrogates, which no store or screen takes."""
    return "".join(
        char for char in text if char in keep or (char >= " " and char != "\x7f" and not "\ud800" <= char <= "\udfff")
    )


# Body


def _readable(part: RawMessage, reading: _Reading, depth: int) -> str:
    """The text that a person would read in this part; the files in it go to `reading`."""
    reading.parts += 1
    if depth > DEEPEST_PART or reading.parts > MOST_PARTS:
        reading.problem("there are too many parts; the rest was left out")
        return ""
    if part.get_content_maintype() == "multipart":
        if part.is_multipart():
            return _of_multipart(part, reading, depth)
        reading.problem("the parts could not be told apart")
        return _body_text(part, reading)
    kind = part.get_content_type()
    if kind in {"text/plain", "text/html"} and not _is_file(part, depth):
        text = _body_text(part, reading)
        return text if kind == "text/plain" else html_to_text(text)
    _keep_file(part, reading)
    return ""


def _of_multipart(part: RawMessage, reading: _Reading, depth: int) -> str:
    if part.get_content_subtype() != "alternative":
        texts = [_readable(child, reading, depth + 1) for child in _children(part)]
        return "\n\n".join(text.strip() for text in texts if text.strip())
    plain = rich = ""
    for child in _children(part):
        text = _readable(child, reading, depth + 1).strip()
        if child.get_content_type() == "text/plain":
            plain = plain or text
        else:
            rich = rich or text
    return rich if rich and _says_nothing(plain, rich) else plain or rich


def _says_nothing(plain: str, rich: str) -> bool:
    if not plain:
        return True
    return len(plain) <= _LONGEST_STUB and len(rich) > len(plain) and _STUB.search(plain) is not None


def _children(part: RawMessage) -> Iterator[RawMessage]:
    payload = part.get_payload()
    if isinstance(payload, list):
        yield from (child for child in cast("list[object]", payload) if isinstance(child, Message))


def _is_file(part: RawMessage, depth: int) -> bool:
    # A mail that is nothing but one text has no other body, whatever name the text was given.
    return depth > 0 and (part.get_content_disposition() == "attachment" or bool(_file_name(part)))


def _file_name(part: RawMessage) -> str:
    try:
        return _decoded(part.get_filename() or "")
    except (ValueError, TypeError, LookupError):
        return ""


def _body_text(part: RawMessage, reading: _Reading) -> str:
    data = part.get_payload(decode=True)
    if not isinstance(data, bytes):
        return ""
    charset = str(part.get_param("charset", "utf-8") or "utf-8")
    text, as_named = _decode_bytes(data, charset)
    if not as_named:
        reading.problem("the text does not hold to its charset")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _keep_file(part: RawMessage, reading: _Reading) -> None:
    name = _file_name(part)
    kind = part.get_content_type()
    if part.is_multipart():
        inner = next(_children(part), None)
        data = inner.as_bytes() if inner is not None else b""
        name = name or (_text_header(inner, "Subject") or "message")[:100] + ".eml" if inner is not None else "message"
    else:
        payload = part.get_payload(decode=True)
        data = payload if isinstance(payload, bytes) else b""
    if kind == "application/ms-tnef" or name.lower() == "winmail.dat":
        reading.problem("attachments are packed in winmail.dat, which cannot be opened yet")
    name = name or f"part-{reading.parts}"
    reading.files.append((AttachedFile(name, kind, len(data)), data))


def html_to_text(html: str) -> str:
    """What a person would see of an HTML mail, in lines; what is quoted is marked, hidden nodes are dropped."""
    from selectolax.lexbor import LexborHTMLParser  # noqa: PLC0415 - most mails have a text part

    root = LexborHTMLParser(html[: LONGEST_TEXT * 4]).body
    lines: list[str] = []
    pieces: list[str] = []
    quoted = 0

    def end_line() -> None:
        line = " ".join("".join(pieces).split())
        lines.append(f"{'> ' * quoted}{line}" if line else "")
        pieces.clear()

    stack = [] if root is None else [(root, False)]
    while stack:
        node, ended = stack.pop()
        if ended or node.tag == "br":
            end_line()
            quoted -= ended and node.tag == QUOTE
        elif node.is_text_node:
            pieces.append(re.sub(r"\s+", " ", node.text_content or ""))
        elif node.tag not in _NEVER_SHOWN and not _is_hidden(node.attributes):
            if node.tag in _BLOCKS:
                end_line()
                quoted += node.tag == QUOTE
                stack.append((node, True))
            stack.extend((child, False) for child in reversed(list(node.iter(include_text=True))))
    end_line()
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def _is_hidden(attributes: dict[str, str | None]) -> bool:
    return "hidden" in attributes or _HIDING.search(attributes.get("style") or "") is not None


# The child process. In: how many mails and whether their files are wanted, then of each mail its length and itself.
# Out: of each mail the length of its JSON, the JSON, and its files.

REQUEST = struct.Struct(">I?")
LENGTH = struct.Struct(">I")


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Parse mails from `source` until it ends."""
    while len(request := source.read(REQUEST.size)) == REQUEST.size:
        count, with_files = REQUEST.unpack(request)
        for _ in range(count):
            (size,) = LENGTH.unpack(source.read(LENGTH.size))
            parsed, files = parse_mail(source.read(size))
            answer = json.dumps(asdict(parsed)).encode()
            target.write(LENGTH.pack(len(answer)) + answer + b"".join(files if with_files else ()))
        target.flush()


def from_json(answer: bytes) -> ParsedMail:
    """What `serve` wrote, as it was."""
    data = json.loads(answer)
    for name in ("to", "cc", "reply_to"):
        data[name] = tuple(Address(**item) for item in data[name])
    for name in ("references", "authentication_results", "problems"):
        data[name] = tuple(data[name])
    data["sender"] = Address(**data["sender"]) if data["sender"] else None
    data["attachments"] = tuple(AttachedFile(**item) for item in data["attachments"])
    return ParsedMail(**data)


def _limit_memory() -> None:
    import resource  # noqa: PLC0415 - of the child only

    limit = 1 << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


if __name__ == "__main__":
    _limit_memory()
    serve(sys.stdin.buffer, sys.stdout.buffer)
