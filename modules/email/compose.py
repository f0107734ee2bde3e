"""Builds the mails that leave: right headers, lines that every relay takes, and nothing smuggled in.

Bcc is part of the envelope and of the sender's own copy, never of what is sent.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.header import Header
from email.message import EmailMessage
from email.policy import EmailPolicy
from email.utils import format_datetime, formataddr

import idna

from butler.contract.errors import IntegrationErrorCode, IntegrationFault
from butler.contract.tools import Attachment, Recipient

MARK = "X-Butler"
CALL_MARK = "X-Butler-Call"
LONGEST_SUBJECT = 900
_MOST_REFERENCES = 30
_PREFIX = "mail:"
_LOCAL = re.compile(r"[A-Za-z0-9!#$%&'*+/=?^_`{|}~.-]{1,64}")
_REPLY = re.compile(r"\s*(re|aw|sv|antw)\s*:", re.IGNORECASE)
_CONTROL = re.compile(r"[\x00-\x1f\x7f\u2028\u2029\ud800-\udfff]")
_MESSAGE_ID = re.compile(r"<[!-;=?-~]+@[!-;=?-~]+>")
_METHOD = re.compile(rb"^METHOD:([A-Za-z]{1,20})\r?$", re.MULTILINE | re.IGNORECASE)
_FOLD = "\r\n "
_LONGEST_WORD = 70
_WRITTEN_BY_US = frozenset(
    {"from", "to", "cc", "bcc", "subject", "message-id", "in-reply-to", "references", "reply-to"}
)


class _MailPolicy(EmailPolicy):
    """The standard policy, which leaves the headers that matter as they were written here.

    It would make an encoded word of a long id, which is then no id, and it re-quotes names in ways of its own.
    """

    def header_store_parse(self, name: str, value: str) -> tuple[str, str]:
        if name.lower() in _WRITTEN_BY_US:
            return name, value
        return super().header_store_parse(name, value)

    def fold(self, name: str, value: str) -> str:
        return f"{name}: {value}\r\n" if name.lower() in _WRITTEN_BY_US else super().fold(name, value)

    def fold_binary(self, name: str, value: str) -> bytes:
        return self.fold(name, value).encode("ascii", "surrogateescape")


_POLICY = _MailPolicy(linesep="\r\n", max_line_length=76, cte_type="7bit")


@dataclass(frozen=True, slots=True)
class Parent:
    """The mail that is answered, as far as threads go."""

    message_id: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """All that is needed to build one mail. Recipients are `mail:` addresses; `files` are the attachments' bytes."""

    sender: str
    token: str
    date: datetime
    to: tuple[Recipient, ...]
    subject: str
    body: str
    sender_name: str = ""
    cc: tuple[Recipient, ...] = ()
    bcc: tuple[Recipient, ...] = ()
    attachments: tuple[tuple[Attachment, bytes], ...] = ()
    calendar: bytes = b""
    """An iTIP object (RFC 5546, UTF-8) that says the same as the body; its METHOD is told to mail programs, too."""
    parent: Parent | None = None
    automatic: bool = False
    """The butler answers by itself: other machines must not answer back."""
    notice: bool = False
    """The butler writes of its own accord: machines must not answer, and what a person answers comes to the butler."""
    mark: str = "bot"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A mail ready to leave: the envelope, the bytes for the wire, and the copy that keeps Bcc."""

    message_id: str
    sender: str
    recipients: tuple[str, ...]
    wire: bytes
    copy: bytes


def mail_address(address: str) -> str:
    """A plain address with its domain in ASCII from `mail:anna@friends.example`; a fault when it is none."""
    plain = address.removeprefix(_PREFIX).strip()
    local, at, domain = plain.rpartition("@")
    if not at or not _LOCAL.fullmatch(local) or local.startswith(".") or local.endswith(".") or ".." in local:
        raise _refused(f"{plain!r} is not a mail address that can be written to")
    try:
        ascii_domain = idna.encode(domain, uts46=True).decode()
    except idna.IDNAError as error:
        raise _refused(f"{plain!r} is not a mail address that can be written to") from error
    return f"{local}@{ascii_domain}"


def message_id(token: str, sender: str) -> str:
    """The Message-ID that a call's token gives."""
    return f"<{token}@{sender.rpartition('@')[2]}>"


def reply_subject(subject: str) -> str:
    """The parent's subject with one `Re:` before it; a very long one is cut to what a mail of ours may have."""
    return (subject if _REPLY.match(subject) else f"Re: {subject}")[:LONGEST_SUBJECT].rstrip()


def reply_references(parent: Parent) -> tuple[str, ...]:
    """RFC 5322, 3.6.4: the parent's References, or else its In-Reply-To, then its own Message-ID."""
    earlier = parent.references or ((parent.in_reply_to,) if parent.in_reply_to else ())
    ids = tuple(dict.fromkeys(known for known in (*earlier, parent.message_id) if _MESSAGE_ID.fullmatch(known)))
    return ids if len(ids) <= _MOST_REFERENCES else (ids[0], *ids[1 - _MOST_REFERENCES :])


def compose(draft: Draft) -> Outgoing:
    """Build the mail; raises an `IntegrationFault` for what can be in no mail."""
    sender = mail_address(draft.sender)
    groups = {name: _addresses(getattr(draft, name)) for name in ("to", "cc", "bcc")}
    recipients = tuple(dict.fromkeys(address for group in groups.values() for _, address in group))
    if not recipients:
        raise _refused("the mail has no recipient")
    message = _build(draft, sender, groups)
    wire = message.as_bytes()
    if groups["bcc"]:
        message["Bcc"] = _header(groups["bcc"])
    return Outgoing(message_id(draft.token, sender), sender, recipients, wire, message.as_bytes())


def _build(draft: Draft, sender: str, groups: dict[str, list[tuple[str, str]]]) -> EmailMessage:
    message = EmailMessage(policy=_POLICY)
    message["From"] = _header([(draft.sender_name, sender)])
    for header, name in (("To", "to"), ("Cc", "cc")):
        if groups[name]:
            message[header] = _header(groups[name])
    subject = draft.subject
    if draft.parent is not None:
        subject = reply_subject(subject or draft.parent.subject)
    message["Subject"] = _words(_one_line(subject, "the subject"), "Subject")
    message["Date"] = format_datetime(draft.date)
    message["Message-ID"] = message_id(draft.token, sender)
    if draft.parent is not None and (references := reply_references(draft.parent)):
        message["References"] = _FOLD.join(references)
        if references[-1] == draft.parent.message_id:
            message["In-Reply-To"] = draft.parent.message_id
    if draft.automatic:
        message["Auto-Submitted"] = "auto-replied"
    if draft.notice:
        message["Auto-Submitted"] = "auto-generated"
        message["Reply-To"] = sender
    message[MARK] = draft.mark
    message[CALL_MARK] = draft.token
    message.set_content(_body(draft.body))
    if draft.calendar:
        params = {"method": _calendar_method(draft.calendar), "charset": "utf-8"}
        message.add_alternative(draft.calendar, maintype="text", subtype="calendar", params=params)
    for attachment, data in draft.attachments:
        _attach(message, attachment, data)
    return message


def _attach(message: EmailMessage, attachment: Attachment, data: bytes) -> None:
    main, _, sub = attachment.media_type.partition("/")
    if main in {"multipart", "message", "text"} or not sub or not attachment.media_type.isascii():
        main, sub = ("text", sub) if main == "text" and sub.isalnum() else ("application", "octet-stream")
    name = _one_line(attachment.name, "an attachment's name")
    message.add_attachment(data, maintype=main, subtype=sub, filename=name)


def _calendar_method(calendar: bytes) -> str:
    # RFC 6047: the parameter has to be there, and to be the same as the object's own.
    found = _METHOD.search(calendar)
    if found is None:
        raise _refused("the calendar part says no METHOD")
    return found[1].decode().upper()


def _addresses(recipients: Sequence[Recipient]) -> list[tuple[str, str]]:
    return [(_one_line(person.name, "a recipient's name"), mail_address(person.address)) for person in recipients]


def _header(people: Sequence[tuple[str, str]]) -> str:
    return f",{_FOLD}".join(_person(name, address) for name, address in people)


def _person(name: str, address: str) -> str:
    if not name:
        return address
    words = formataddr((name, address)).removesuffix(f" <{address}>") if _plain(name) else _words(name, "To")
    return f"{words} <{address}>"


def _words(text: str, header: str) -> str:
    """A header's text as it travels: folded, and encoded where it is not plain."""
    return Header(text, "us-ascii" if _plain(text) else "utf-8", header_name=header).encode(linesep="\r\n")


def _plain(text: str) -> bool:
    # An encoded word that somebody typed would be read as what it stands for, not as what was shown.
    return text.isascii() and "=?" not in text and all(len(word) <= _LONGEST_WORD for word in text.split())


def _body(text: str) -> str:
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return lines if lines.endswith("\n") else lines + "\n"


def _one_line(text: str, what: str) -> str:
    if _CONTROL.search(text):
        raise _refused(f"{what} must be one line without control characters")
    return text


def _refused(message: str) -> IntegrationFault:
    return IntegrationFault(IntegrationErrorCode.INVALID_INPUT, message)
