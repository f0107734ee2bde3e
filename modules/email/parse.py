"""Reads one raw mail into plain fields, whatever it is; what could not be read is named, never raised.

It runs as a program of its own in a bounded child process (see `reader.py`), so that a mail that makes it slow, large
or crash costs that process only; therefore it and the `parse_*` beside it import nothing else of ours.
"""

import re
import struct
import sys
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import BinaryIO

from modules.email.parse_headers import read_headers, text_header
from modules.email.parse_kind import kind_of, topics_of
from modules.email.parse_mime import Headers, IrregularError, Part, patiently, quickly
from modules.email.parse_text import clean, decode_bytes
from modules.email.parse_words import split
from modules.email.parsed import AttachedFile, ParsedMail, to_json

LONGEST_TEXT = 400_000  # characters
MOST_PARTS = 300
DEEPEST_PART = 30

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
        mail = read_headers(headers, reading.problem)
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
        media_type=part.kind + (f"; report-type={part.report_type}" if part.report_type else ""),
        text=clean(text, keep="\n\t"),
        attachments=tuple(file for file, _ in reading.files),
        problems=tuple(reading.problems),
    )
    return _understood(parsed), tuple(data for _, data in reading.files)


def _understood(mail: ParsedMail) -> ParsedMail:
    """With what its form tells of whose words are whose, and of what it is about."""
    try:
        apart = split(mail.subject, mail.text)
        mail = replace(mail, words=apart.words, quotes=apart.quotes, forwarded=apart.forwarded)
        mail = replace(mail, kind=kind_of(mail))
        topics, invoice = topics_of(mail)
    except Exception as error:  # noqa: BLE001 - the same boundary: a mail whose form is not understood is read all the same
        why = f"what is quoted in it could not be told ({type(error).__name__})"
        return replace(mail, words="", problems=(*mail.problems, why))
    return replace(mail, topics=topics, invoice=invoice)


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
        name = name or (text_header(part.mail, "Subject") or "message")[:100] + ".eml"
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
