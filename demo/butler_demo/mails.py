"""Writing the demo's mails, and telling of stored ones as events."""

import mimetypes
from dataclasses import dataclass
from datetime import datetime
from email import message_from_bytes, policy
from email.message import EmailMessage
from email.utils import format_datetime, make_msgid, parseaddr

from butler_demo.events import Box, MailChanged
from butler_demo.gmail.mime import read_mail
from butler_demo.gmail.records import Message as GmailMessage
from butler_demo.mailbox.records import StoredMail

_LONGEST_TEXT = 20_000


@dataclass(frozen=True, slots=True)
class Enclosure:
    """A file in a mail."""

    name: str
    content: bytes


def compose(
    sender: str,
    to: str,
    subject: str,
    body: str,
    at: datetime,
    *,
    files: tuple[Enclosure, ...] = (),
    headers: tuple[tuple[str, str], ...] = (),
) -> bytes:
    """A mail as its sender's program makes it; `sender` and `to` may carry names."""
    mail = EmailMessage()
    mail["From"] = sender
    mail["To"] = to
    mail["Subject"] = " ".join(subject.split())
    mail["Date"] = format_datetime(at)
    mail["Message-ID"] = make_msgid(domain=address_of(sender).rpartition("@")[2] or "demo.example")
    for name, value in headers:
        mail[name] = value
    mail.set_content(body)
    for file in files:
        kind, _, subtype = (mimetypes.guess_type(file.name)[0] or "application/octet-stream").partition("/")
        mail.add_attachment(file.content, maintype=kind, subtype=subtype, filename=file.name)
    return mail.as_bytes()


def forward_body(words: str, raw: bytes) -> str:
    """The person's words above the forwarded mail, as mail programs write it."""
    content = read_mail(raw)
    head = "\n".join(f"{name}: {content.header(name)}" for name in ("From", "Date", "Subject", "To"))
    return f"{words.strip()}\n\n---------- Forwarded message ---------\n{head}\n\n{content.text}"


def enclosures_of(raw: bytes) -> tuple[Enclosure, ...]:
    """The files in a mail, as a forward carries them along."""
    parts = message_from_bytes(raw, policy=policy.default).walk()
    named = ((part.get_filename(), part.get_payload(decode=True)) for part in parts if not part.is_multipart())
    return tuple(Enclosure(name, content) for name, content in named if name and isinstance(content, bytes))


def address_of(sender: str) -> str:
    """The bare address of `Name <address>`."""
    return parseaddr(sender)[1]


def describe_gmail(message: GmailMessage, *, gone: bool = False) -> MailChanged:
    """One of the person's mails; the folder is the label that a person would look under."""
    labels = message.label_ids
    folder = next((label.title() for label in ("TRASH", "DRAFT", "SENT", "INBOX") if label in labels), "Archive")
    return _describe(Box.YOURS, folder, message.id, message.raw, message.received, unread=message.unread, gone=gone)


def describe_stored(folder: str, mail: StoredMail, *, gone: bool = False) -> MailChanged:
    """One of the butler's mails."""
    name = folder.title() if folder.isupper() else folder
    mail_id = f"{folder}/{mail.uid}"
    return _describe(Box.BUTLER, name, mail_id, mail.raw, mail.received_at, unread=not mail.seen, gone=gone)


def _describe(
    box: Box, folder: str, mail_id: str, raw: bytes, at: datetime, *, unread: bool, gone: bool
) -> MailChanged:
    content = read_mail(raw)
    return MailChanged(
        box=box,
        folder=folder,
        mail_id=mail_id,
        sender=content.header("From"),
        recipients=content.header("To"),
        subject=content.subject,
        text=content.text[:_LONGEST_TEXT],
        attachments=content.attachments,
        at=at,
        unread=unread,
        gone=gone,
    )
