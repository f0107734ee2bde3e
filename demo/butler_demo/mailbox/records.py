"""What the stand-in mail server shows of itself: frozen records of stored and submitted mails."""

from dataclasses import dataclass
from datetime import datetime
from email.errors import HeaderParseError
from email.header import decode_header, make_header
from email.message import Message
from email.parser import BytesHeaderParser
from enum import StrEnum


def decode_words(value: str) -> str:
    """The readable form of a header value; a value that cannot be decoded is returned as it stands."""
    try:
        return str(make_header(decode_header(value)))
    except (HeaderParseError, LookupError, ValueError):
        return value


def parse_header(raw: bytes) -> "Message[str, str]":
    """The header fields of a raw mail, as the standard library reads them; the body is not looked at."""
    return BytesHeaderParser().parsebytes(raw)


def read_field(raw: bytes, name: str) -> str:
    """The first header field `name` of a raw mail, decoded and unfolded; empty where there is none."""
    value = parse_header(raw).get(name)
    return "" if value is None else " ".join(decode_words(str(value)).split())


@dataclass(frozen=True, slots=True)
class StoredMail:
    r"""A mail in a folder. `raw` has CRLF line ends; `flags` are spelt as IMAP does (`\Seen`, `$Done`)."""

    uid: int
    raw: bytes
    flags: frozenset[str]
    received_at: datetime

    @property
    def seen(self) -> bool:
        return "\\Seen" in self.flags

    def field(self, name: str) -> str:
        """The first header field of that name, decoded; empty where there is none."""
        return read_field(self.raw, name)


@dataclass(frozen=True, slots=True)
class SentMail:
    """A mail that a user submitted: the provider's own record of what left, exactly as it came in."""

    user: str
    mail_from: str
    rcpt_tos: tuple[str, ...]
    raw: bytes
    sent_at: datetime

    def field(self, name: str) -> str:
        """The first header field of that name, decoded; empty where there is none."""
        return read_field(self.raw, name)


class EventKind(StrEnum):
    """What happened on the server."""

    ADDED = "added"
    FLAGGED = "flagged"
    EXPUNGED = "expunged"
    SUBMITTED = "submitted"


@dataclass(frozen=True, slots=True)
class MailEvent:
    """One change. `folder` and `mail` belong to changes of a mailbox, `sent` to a submission."""

    kind: EventKind
    address: str
    folder: str = ""
    mail: StoredMail | None = None
    sent: SentMail | None = None
