"""Builds outgoing mails: correct headers, lines that every relay accepts, and no injected headers.

Bcc is part of the envelope and of the sender's own copy, never of what is sent.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from email.message import EmailMessage
from email.utils import format_datetime

from butler.contract.speech import say
from butler.contract.tools import Attachment, Recipient
from modules.email.smtp.headers import (
    CONTROL,
    FOLD,
    POLICY,
    addressed,
    is_id,
    mail_address,
    one_line,
    people,
    refused,
    words,
)
from modules.email.smtp.html import html_of

MARK = "X-Butler"
CALL_MARK = "X-Butler-Call"
LONGEST_SUBJECT = 900
_MOST_REFERENCES = 30
_REPLY = re.compile(r"\s*(re(\[\d{1,3}\])?|aw|antw|sv|vs|odp|ynt|rif|回复|答复|回覆)\s*[:：]", re.IGNORECASE)
_UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f]")
_METHOD = re.compile(rb"^METHOD:([A-Za-z]{1,20})\r?$", re.MULTILINE | re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Parent:
    """What threading needs of the mail being answered."""

    message_id: str = ""
    in_reply_to: str = ""
    references: tuple[str, ...] = ()
    subject: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """The content of one mail. Recipients are `mail:` addresses; `files` are the attachments' bytes."""

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
    """An iTIP object (RFC 5546, UTF-8) with the content of the body; its METHOD also goes into its content type."""
    html: bool = False
    """Whether to add an HTML body, made of the plain text and with the same content."""
    parent: Parent | None = None
    automatic: bool = False
    """The butler answers automatically: other machines must not answer back."""
    notice: bool = False
    """The butler writes on its own: machines must not answer, and people's answers go to the butler."""
    mark: str = "bot"


@dataclass(frozen=True, slots=True)
class Outgoing:
    """A mail ready to send: the envelope, the bytes for the wire, and the copy that keeps Bcc."""

    message_id: str
    sender: str
    recipients: tuple[str, ...]
    wire: bytes
    copy: bytes


def message_id(token: str, sender: str) -> str:
    """Return the Message-ID for a call's token."""
    return f"<{token}@{sender.rpartition('@')[2]}>"


def reply_subject(subject: str) -> str:
    """Return the parent's subject with one `Re:` before it, cut to the longest subject that our mails may have.

    Control characters, which only the parent's sender can have put there, become spaces.
    """
    subject = CONTROL.sub(" ", subject)
    return (subject if _REPLY.match(subject) else f"Re: {subject}")[:LONGEST_SUBJECT].rstrip()


def reply_references(parent: Parent) -> tuple[str, ...]:
    """Return the references by RFC 5322, 3.6.4: the parent's References, or else In-Reply-To, then its Message-ID."""
    earlier = parent.references or ((parent.in_reply_to,) if parent.in_reply_to else ())
    ids = tuple(dict.fromkeys(filter(is_id, (*earlier, parent.message_id))))
    return ids if len(ids) <= _MOST_REFERENCES else (ids[0], *ids[1 - _MOST_REFERENCES :])


def compose(draft: Draft) -> Outgoing:
    """Build the mail; raise an `IntegrationFault` for content that no mail can hold."""
    sender = mail_address(draft.sender)
    groups = {name: addressed(getattr(draft, name)) for name in ("to", "cc", "bcc")}
    recipients = tuple(dict.fromkeys(address for group in groups.values() for _, address in group))
    if not recipients:
        raise refused(say("the mail has no recipient"))
    message = _build(draft, sender, groups)
    wire = message.as_bytes()
    if groups["bcc"]:
        message["Bcc"] = people(groups["bcc"])
    return Outgoing(message_id(draft.token, sender), sender, recipients, wire, message.as_bytes())


def _build(draft: Draft, sender: str, groups: dict[str, list[tuple[str, str]]]) -> EmailMessage:
    message = EmailMessage(policy=POLICY)
    message["From"] = people([(one_line(draft.sender_name, say("the sender's name")), sender)])
    for header, name in (("To", "to"), ("Cc", "cc")):
        if groups[name]:
            message[header] = people(groups[name])
    subject = draft.subject
    if draft.parent is not None:
        subject = reply_subject(subject or draft.parent.subject)
    message["Subject"] = words(one_line(subject, say("the subject")), "Subject")
    message["Date"] = format_datetime(draft.date)
    message["Message-ID"] = message_id(draft.token, sender)
    if draft.parent is not None and (references := reply_references(draft.parent)):
        message["References"] = FOLD.join(references)
        if references[-1] == draft.parent.message_id:
            message["In-Reply-To"] = draft.parent.message_id
    if draft.automatic:
        message["Auto-Submitted"] = "auto-replied"
    if draft.notice:
        message["Auto-Submitted"] = "auto-generated"
        message["Reply-To"] = sender
    message[MARK] = draft.mark
    message[CALL_MARK] = draft.token
    _fill(message, draft)
    return message


def _fill(message: EmailMessage, draft: Draft) -> None:
    """Add the body in its equivalent forms, and the attachments."""
    text = _body(draft.body)
    _say(message, text, "plain")
    if draft.html:
        _say(message, html_of(text), "html")
    if draft.calendar:
        params = {"method": _calendar_method(draft.calendar), "charset": "utf-8"}
        message.add_alternative(draft.calendar, maintype="text", subtype="calendar", params=params)
    for attachment, data in draft.attachments:
        _attach(message, attachment, data)


def _say(message: EmailMessage, text: str, form: str) -> None:
    # Characters that a mail cannot hold as they are travel encoded, and decode to the same text.
    how = {"cte": "quoted-printable"} if _UNPRINTED.search(text) else {}
    put: Callable[..., None] = message.set_content if form == "plain" else message.add_alternative
    put(text, subtype=form, **how)


def _attach(message: EmailMessage, attachment: Attachment, data: bytes) -> None:
    main, _, sub = attachment.media_type.partition("/")
    if main in {"multipart", "message", "text"} or not sub or not attachment.media_type.isascii():
        main, sub = ("text", sub) if main == "text" and sub.isalnum() else ("application", "octet-stream")
    name = one_line(attachment.name, say("an attachment's name"))
    message.add_attachment(data, maintype=main, subtype=sub, filename=name)


def _calendar_method(calendar: bytes) -> str:
    # RFC 6047: the parameter is required, and must equal the object's own.
    found = _METHOD.search(calendar)
    if found is None:
        raise refused(say("the calendar part says no METHOD"))
    return found[1].decode().upper()


def _body(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise refused(say("the body holds half of a character")) from error
    lines = text.replace("\r\n", "\n").replace("\r", "\n")
    return lines if lines.endswith("\n") else lines + "\n"
