"""Reads a stored mail: sender and recipients, its text, and the names of its attachments."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from butler.agents.parser.blocks import Document, Kind, damaged
from butler.agents.parser.charset import decoded
from butler.agents.parser.read_html import html_blocks
from butler.agents.parser.read_text import read_txt
from butler.contract.speech import phrase, say
from butler.mime.regular import Defect, Headers, IrregularError, Part, quickly, without_lead
from butler.mime.text import decoded as decoded_header
from butler.mime.tolerant import patiently

_SAID = ("From", "To", "Cc", "Date", "Subject")
_LONGEST = 1_000
_LONGEST_HEADER = 4_000
"""Characters."""
_MOST_PARTS, _DEEPEST = 5_000, 200


@dataclass(frozen=True, slots=True)
class _Mail:
    headers: dict[str, str]
    text: bytes | None
    charset: str
    is_html: bool
    files: tuple[str, ...]


def read_eml(data: bytes, document: Document) -> None:
    """Add headers and text to the document. Raises `UnreadableError`."""
    try:
        mail = _read(data)
    except MemoryError:
        raise
    except Exception as error:  # the boundary to a hostile format; the owner is told
        raise damaged(phrase("it is no mail that can be understood")) from error
    head = [f"{name}: {value}" for name, value in mail.headers.items() if value]
    document.add(Kind.TEXT, "\n".join(head))
    document.metadata["title"] = mail.headers["Subject"]
    document.metadata["author"] = mail.headers["From"]
    if mail.text is None:
        document.problem(say("It has no text."))
    else:
        text = decoded(mail.text, document, declared=mail.charset)
        if mail.is_html:
            html_blocks(text, document)
        else:
            read_txt(text.encode("utf-8", "replace"), document)
    document.files(*mail.files)


def _read(data: bytes) -> _Mail:
    data = without_lead(data)
    try:
        return _mail_of(*quickly(data))
    except IrregularError:
        return _mail_of(*patiently(data))


def _mail_of(headers: Headers, root: Part) -> _Mail:
    """Return headers, text, and file names; the text is the plain one, or else the HTML."""
    leaves = list(islice(_leaves(root), _MOST_PARTS))
    texts = [part for part, _ in leaves if not part.attached]
    found = next((part for is_kind in (_is_plain, _is_html) for part in texts if is_kind(part)), None)
    return _Mail(
        headers={name: _header(headers, name, root.charset) for name in _SAID},
        text=None if found is None else found.data(_untold),
        charset="" if found is None else found.charset,
        is_html=found is not None and _is_html(found),
        files=tuple(part.file_name or part.kind for part, is_file in leaves if is_file and part is not found),
    )


def _leaves(part: Part, depth: int = 0, *, is_form: bool = False) -> Iterator[tuple[Part, bool]]:
    """Yield the parts without children, and whether each is a file rather than another form of the text."""
    if part.children is None or depth > _DEEPEST:
        yield part, part.attached or bool(part.file_name) or not is_form
        return
    for child in part.children():
        yield from _leaves(child, depth + 1, is_form=is_form or part.kind == "multipart/alternative")


def _is_plain(part: Part) -> bool:
    """Return whether a part is plain text, or a multipart that could not be split."""
    return part.kind == "text/plain" or part.kind.startswith("multipart/")


def _is_html(part: Part) -> bool:
    return part.kind == "text/html"


def _untold(_: Defect) -> None:
    """Ignore a defect in the form of a part: the missing text shows it."""


def _header(headers: Headers, name: str, charset: str) -> str:
    value = next(iter(headers.get(name.lower(), ())), "")
    return " ".join(decoded_header(value[:_LONGEST_HEADER], charset).split())[:_LONGEST]
