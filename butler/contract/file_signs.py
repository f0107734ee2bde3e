"""Recognises calendars and mails by a file's content, whatever type it was declared to be."""

import re

_BLANKS = b" \t\r\n\xef\xbb\xbf"
_HEAD = 16 * 1024
_FEWEST_HEADERS = 2
_HEADER = re.compile(rb"[!-9;-~]{1,80}[ \t]*:|[ \t]+\S")
_OF_MAILS = re.compile(
    rb"(?:received|return-path|message-id|mime-version|delivered-to|dkim-signature|from|subject|date|to)[ \t]*:",
    re.IGNORECASE,
)
_OF_SENT_MAILS = re.compile(
    rb"^(?:received|message-id|mime-version|dkim-signature)[ \t]*:", re.IGNORECASE | re.MULTILINE
)
_MBOX = re.compile(rb"\A>?From [^\r\n]*\r?\n")


def is_calendar(data: bytes) -> bool:
    """Return whether it begins as an iCalendar file does."""
    return data[:64].lstrip(_BLANKS)[:15].upper() == b"BEGIN:VCALENDAR"


def is_mail(data: bytes, name: str = "") -> bool:
    """Return whether it begins with the header of a mail.

    Unless its name says so as well, one of the fields that programs write into a mail is required: a letter or a note
    may begin with From, To and Date.
    """
    head = _MBOX.sub(b"", data[:_HEAD].lstrip(_BLANKS), count=1)
    lines = re.split(rb"\r?\n\r?\n", head, maxsplit=1)[0].splitlines()
    if len(data) > _HEAD and lines:
        # The data may be cut.
        lines.pop()
    if not all(_HEADER.match(line) for line in lines) or sum(map(bool, map(_OF_MAILS.match, lines))) < _FEWEST_HEADERS:
        return False
    return name.lower().endswith(".eml") or _OF_SENT_MAILS.search(b"\n".join(lines)) is not None
