"""Reads one raw mail into plain fields, whatever it is; what could not be read is named, never raised.

It runs as a program of its own in a bounded child process (see `reader.py`), so that a mail that makes it slow, large
or crash costs that process only; therefore it and the `parse_*` beside it import nothing else of ours.
"""

import re
import struct
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC
from email.utils import getaddresses, parsedate_to_datetime
from typing import BinaryIO

from modules.email.parse_mime import Headers, IrregularError, Part, patiently, quickly
from modules.email.parse_text import clean, decode_bytes, decoded
from modules.email.parsed import Address, AttachedFile, ParsedMail, to_json

LONGEST_TEXT = 400_000  # characters
MOST_PARTS = 300
DEEPEST_PART = 30
_LONGEST_ID = 500
_LONGEST_ADDRESS = 320
"""RFC 3696: 64 characters, an @, and 255; nothing longer can be written to, or be a key of a database."""
_EARLIEST_YEAR, _LATEST_YEAR = 1980, 2100

_MESSAGE_ID = re.compile(r"<[^\s<>@]+@[^\s<>@]+>")
_ATOMS = r"[A-Za-z0-9_+-]+(?:\.[A-Za-z0-9_+-]+)*"
_PLAIN_ADDRESS = re.compile(rf"((?:[A-Za-z0-9]+ )*)<({_ATOMS}@{_ATOMS})>|({_ATOMS}@{_ATOMS})")
"""One address as most are written, which has only one reading."""
_STUB = re.compile(
    r"(view|read|open|see).{0,40}(html|browser|online|web)|does(n't| not) support html|html (e-?)?mail",
    re.IGNORECASE,
)
_LONGEST_STUB = 300


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
    try:
        return _parsed(*quickly(raw))
    except IrregularError:
        pass
    try:
        headers, part = patiently(raw)
    except Exception as error:  # noqa: BLE001 - the boundary to a hostile format; the kind is recorded
        return ParsedMail(problems=(f"the mail could not be read ({type(error).__name__})",)), ()
    return _parsed(headers, part)


def _parsed(headers: Headers, part: Part) -> tuple[ParsedMail, tuple[bytes, ...]]:
    reading = _Reading()
    try:
        mail = _read_headers(headers, reading)
    except Exception as error:  # noqa: BLE001 - the same boundary, for the headers
        return ParsedMail(problems=(f"the mail could not be read ({type(error).__name__})",)), ()
    try:
        text = _readable(part, reading, 0).strip()
    except IrregularError:
        raise
    except Exception as error:  # noqa: BLE001 - the same boundary, for the body
        reading.problem(f"the body could not be read ({type(error).__name__})")
        text = ""
    if len(text) > LONGEST_TEXT:
        text = text[:LONGEST_TEXT]
        reading.problem("the text was cut because it is very long")
    parsed = replace(
        mail,
        text=clean(text, keep="\n\t"),
        attachments=tuple(file for file, _ in reading.files),
        problems=tuple(reading.problems),
    )
    return parsed, tuple(data for _, data in reading.files)


# Headers


def _read_headers(message: Headers, reading: _Reading) -> ParsedMail:
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
            clean(" ".join(value.split())) for value in _values(message, "Authentication-Results")
        ),
    )


def _values(message: Headers, name: str) -> Sequence[str]:
    return message.get(name.lower(), ())


def _text_header(message: Headers, name: str) -> str:
    values = _values(message, name)
    return decoded(values[0]) if values else ""


def _addresses(message: Headers, name: str) -> list[Address]:
    # Taken apart before encoded words are read, so that an encoded word cannot smuggle in an address.
    values = _values(message, name)
    if len(values) == 1 and len(values[0]) <= _LONGEST_ADDRESS and (plain := _PLAIN_ADDRESS.fullmatch(values[0])):
        return [Address((plain[2] or plain[3]).lower(), (plain[1] or "").strip())]
    found: list[Address] = []
    for display, spelling in getaddresses(values):
        address = clean(spelling).strip().lower()
        local, at, domain = address.rpartition("@")
        if local and at and domain and " " not in address and len(address) <= _LONGEST_ADDRESS:
            found.append(Address(address, decoded(display)))
    return found


def _ids(message: Headers, name: str) -> list[str]:
    text = " ".join(_values(message, name))
    ids = [
        match
        for match in _MESSAGE_ID.findall(text)
        if len(match) <= _LONGEST_ID and match.isascii() and match.isprintable()
    ]
    return list(dict.fromkeys(ids))[-100:] if name == "References" else ids


def _date(message: Headers, reading: _Reading) -> str:
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


# Body


def _readable(part: Part, reading: _Reading, depth: int) -> str:
    """The text that a person would read in this part; the files in it go to `reading`."""
    reading.parts += 1
    if depth > DEEPEST_PART or reading.parts > MOST_PARTS:
        reading.problem("there are too many parts; the rest was left out")
        return ""
    if part.kind.startswith("multipart/"):
        if part.children is not None:
            return _of_multipart(part, part.children(), reading, depth)
        reading.problem("the parts could not be told apart")
        return _body_text(part, reading)
    if part.kind in {"text/plain", "text/html"} and not _is_file(part, depth):
        text = _body_text(part, reading)
        if part.kind == "text/plain":
            return text
        from modules.email.parse_html import html_to_text  # noqa: PLC0415 - most mails have a text part

        return html_to_text(text)
    _keep_file(part, reading)
    return ""


def _of_multipart(part: Part, children: Iterable[Part], reading: _Reading, depth: int) -> str:
    if part.kind != "multipart/alternative":
        texts = [_readable(child, reading, depth + 1) for child in children]
        return "\n\n".join(text.strip() for text in texts if text.strip())
    plain = rich = ""
    for child in children:
        if child.kind == "text/html" and _says_enough(plain) and not _is_file(child, depth + 1):
            reading.parts += 1
            continue
        text = _readable(child, reading, depth + 1).strip()
        if child.kind == "text/plain":
            plain = plain or text
        else:
            rich = rich or text
    return rich if rich and _says_nothing(plain, rich) else plain or rich


def _says_enough(plain: str) -> bool:
    """Whether the rich form need not be looked at."""
    return bool(plain) and (len(plain) > _LONGEST_STUB or _STUB.search(plain) is None)


def _says_nothing(plain: str, rich: str) -> bool:
    return not _says_enough(plain) and len(rich) > len(plain)


def _is_file(part: Part, depth: int) -> bool:
    # A mail that is nothing but one text has no other body, whatever name the text was given.
    return depth > 0 and (part.attached or bool(part.file_name))


def _body_text(part: Part, reading: _Reading) -> str:
    text, as_named = decode_bytes(part.data(), part.charset)
    if not as_named:
        reading.problem("the text does not hold to its charset")
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _keep_file(part: Part, reading: _Reading) -> None:
    name, data = part.file_name, part.data()
    if part.mail is not None:
        name = name or (_text_header(part.mail, "Subject") or "message")[:100] + ".eml"
    if part.kind == "application/ms-tnef" or name.lower() == "winmail.dat":
        reading.problem("attachments are packed in winmail.dat, which cannot be opened yet")
    name = name or f"part-{reading.parts}"
    reading.files.append((AttachedFile(name, part.kind, len(data)), data))


# The child process. In: how many mails and whether their files are wanted, then of each mail its length and itself.
# Out: the length of a JSON list, the list with an item for each mail, and their files.

REQUEST = struct.Struct(">I?")
LENGTH = struct.Struct(">I")


def serve(source: BinaryIO, target: BinaryIO) -> None:
    """Parse mails from `source` until it ends."""
    while len(request := source.read(REQUEST.size)) == REQUEST.size:
        count, with_files = REQUEST.unpack(request)
        mails: list[ParsedMail] = []
        kept: list[bytes] = []
        for _ in range(count):
            (size,) = LENGTH.unpack(source.read(LENGTH.size))
            mail, files = parse_mail(source.read(size))
            mails.append(mail)
            kept += files if with_files else ()
        answer = to_json(mails)
        target.write(LENGTH.pack(len(answer)))
        target.write(answer)
        target.writelines(kept)
        target.flush()


def main() -> None:
    """Be the child process."""
    import resource  # noqa: PLC0415 - of the child only

    limit = 1 << 30
    resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    serve(sys.stdin.buffer, sys.stdout.buffer)
