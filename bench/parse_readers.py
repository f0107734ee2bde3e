"""The parsers that are compared, each made to give the same fields of a mail.

The fields are those that every one of them can give: the sender's address, the subject, the date, the text (the plain
one, else the rich one as it stands) and of each attachment its name and size.
"""

import email
import email.policy
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.message import EmailMessage
from typing import Any, cast

from modules.email.parsing.parser import parse_mail


@dataclass(frozen=True, slots=True)
class Fields:
    """What is compared."""

    sender: str = ""
    subject: str = ""
    date: str = ""
    text: str = ""
    files: tuple[tuple[str, int], ...] = ()


Reader = Callable[[bytes], Fields]


def butler(raw: bytes) -> Fields:
    """Ours, as it reads the mails of a mirror: with all that their headers say, besides."""
    return _ours(raw, understand=False)


def butler_understanding(raw: bytes) -> Fields:
    """Ours, as it reads a mail to the butler: also whose words are whose, what it is about, and where links lead."""
    return _ours(raw, understand=True)


def _ours(raw: bytes, *, understand: bool) -> Fields:
    mail, _ = parse_mail(raw, understand=understand)
    files = tuple([(file.name, file.size) for file in mail.attachments])
    return Fields(mail.sender.address if mail.sender else "", mail.subject, mail.sent_at, mail.text, files)


def standard(raw: bytes) -> Fields:
    """The standard library under the policy that its documentation recommends."""
    message = cast("EmailMessage", email.message_from_bytes(raw, policy=email.policy.default))
    senders = message["from"].addresses if message["from"] else ()
    body = message.get_body(("plain", "html"))
    files = [(part.get_filename() or "", _size(part.get_content())) for part in message.iter_attachments()]
    return Fields(
        senders[0].addr_spec.lower() if senders else "",
        str(message["subject"] or ""),
        _iso(message["date"].datetime if message["date"] else None),
        body.get_content() if body else "",
        tuple(files),
    )


def _size(content: Any) -> int:
    return len(content) if isinstance(content, (bytes, str)) else 0


def fast_mail_parser(raw: bytes) -> Fields:
    """fast-mail-parser, which is written in Rust."""
    import fast_mail_parser as library  # noqa: PLC0415 - may be missing

    mail = library.parse_email(raw)
    return Fields(
        mail.from_.address.lower() if mail.from_ else "",
        mail.subject,
        _iso(mail.date_parsed),
        next(iter(mail.text_plain or mail.text_html), ""),
        tuple((file.filename, len(file.content)) for file in mail.attachments),
    )


def mail_parser(raw: bytes) -> Fields:
    """mail-parser, which is written over the standard library."""
    import mailparser as library  # noqa: PLC0415 - may be missing

    mail = cast("Any", library.parse_from_bytes(raw))
    return Fields(
        mail.from_[0][1].lower() if mail.from_ else "",
        mail.subject or "",
        _iso(mail.date),
        next(iter(mail.text_plain or mail.text_html), ""),
        tuple((file["filename"] or "", len(file["payload"])) for file in mail.attachments),
    )


def _iso(date: datetime | None) -> str:
    return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC).isoformat() if date else ""
