"""Reads a stored mail: sender and recipients, its text, and the names of its attachments."""

from email.message import EmailMessage
from email.parser import BytesParser
from email.policy import EmailPolicy
from typing import TYPE_CHECKING

from butler.agents.parser.blocks import Document, Kind, UnreadableError, damaged
from butler.agents.parser.charset import decoded
from butler.agents.parser.read_html import html_blocks
from butler.agents.parser.read_text import read_txt
from butler.contract.speech import phrase, say

_SAID = ("From", "To", "Cc", "Date", "Subject")
_LONGEST = 1_000
_LONGEST_HEADER = 4_000
"""Characters: parsing a header takes time and memory that grow with the square of its length."""

if TYPE_CHECKING:
    _Policy = EmailPolicy[EmailMessage]
else:
    _Policy = EmailPolicy


class _Bounded(_Policy):
    """Parses the beginning of each header."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value[:_LONGEST_HEADER]


def read_eml(data: bytes, document: Document) -> None:
    """Add headers and text to the document. Raises `UnreadableError`."""
    try:
        mail = BytesParser(EmailMessage, policy=_Bounded()).parsebytes(data)
        head = [f"{name}: {value[:_LONGEST]}" for name in _SAID if (value := _header(mail, name))]
        document.add(Kind.TEXT, "\n".join(head))
        document.metadata["title"] = _header(mail, "Subject")[:_LONGEST]
        document.metadata["author"] = _header(mail, "From")[:_LONGEST]
        _body(mail, document)
        document.files(*(part.get_filename() or part.get_content_type() for part in mail.iter_attachments()))
    except (UnreadableError, MemoryError):
        raise
    except Exception as error:  # the boundary to a hostile format; the owner is told
        raise damaged(phrase("it is no mail that can be understood")) from error


def _header(mail: EmailMessage, name: str) -> str:
    try:
        return " ".join(str(mail[name] or "").split())
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - the standard library falls over some headers; the others are read
        return f"(unreadable: {type(error).__name__})"


def _body(mail: EmailMessage, document: Document) -> None:
    """Return the plain text, or the visible part of the HTML."""
    part = mail.get_body(("plain", "html"))
    content = part.get_payload(decode=True) if part is not None else None
    if part is None or not isinstance(content, bytes):
        document.problem(say("It has no text."))
        return
    text = decoded(content, document, declared=part.get_content_charset() or "")
    if part.get_content_type() == "text/html":
        html_blocks(text, document)
    else:
        read_txt(text.encode("utf-8", "replace"), document)
