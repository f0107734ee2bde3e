"""Reads a mail server's report on a mail (RFC 3464), also if it does not follow the standard exactly."""

import re
from collections.abc import Mapping

from butler.mime.text import clean, decoded
from modules.email.parsing.parsed import Report

_LARGEST = 256 * 1024  # bytes
_MOST_RECIPIENTS = 100
_LONGEST = 500  # characters of one field
_LONGEST_ADDRESS = 320
_FIELD = re.compile(r"([A-Za-z][A-Za-z-]*):[ \t]*(.*)")
_BLANK_LINES = re.compile(r"\n[ \t]*\n")
_FOLD = re.compile(r"\n[ \t]+")
_ACTIONS = frozenset({"failed", "delayed", "delivered", "relayed", "expanded"})
_STATUS = re.compile(r"[245]\.\d{1,3}\.\d{1,3}")
_MESSAGE_ID = re.compile(r"^[ \t>]*Message-ID:\s*(<[^\s<>@]{1,300}@[^\s<>@]{1,200}>)", re.IGNORECASE | re.MULTILINE)
_MARK = re.compile(r"^[ \t>]*X-Butler-Call:[ \t]*([0-9A-Za-z_-]{1,100})[ \t\r]*$", re.IGNORECASE | re.MULTILINE)
_ADDRESS = re.compile(r"[^\s<>,;\"()]+@[^\s<>,;\"()]+")


def reports_of(status: bytes, returned: str, mark: str = "") -> tuple[Report, ...]:
    """Return a delivery-status part's reports, one per recipient; `returned` and `mark` identify the mail at issue."""
    text = clean(status[:_LARGEST].decode("utf-8", "replace").replace("\r\n", "\n"), keep="\n\t")
    found: list[Report] = []
    for block in _BLANK_LINES.split(text):
        fields = _fields(block)
        recipient = _typed(fields.get("original-recipient", "")) or _typed(fields.get("final-recipient", ""))
        action = (fields.get("action", "").split() or [""])[0].lower()
        if not recipient or len(found) == _MOST_RECIPIENTS:
            continue
        code = _STATUS.search(fields.get("status", ""))
        found.append(
            Report(
                action=action if action in _ACTIONS else _action(code[0] if code else ""),
                recipient=recipient,
                status=code[0] if code else "",
                diagnostic=_typed(fields.get("diagnostic-code", "")),
                message_id=returned,
                mark=mark,
            )
        )
    return tuple(found)


def reports_of_text(text: str, recipients: str) -> tuple[Report, ...]:
    """Return the reports of a prose report by a server that lists failed addresses in `X-Failed-Recipients`."""
    returned, mark = returned_id(text), returned_mark(text)
    return tuple(
        Report(action="failed", recipient=address.lower()[:_LONGEST_ADDRESS], message_id=returned, mark=mark)
        for address in list(dict.fromkeys(_ADDRESS.findall(recipients[:_LARGEST])))[:_MOST_RECIPIENTS]
    )


def returned_id(text: str) -> str:
    """Return the Message-ID of the mail that a report contains, wholly or in part."""
    found = _MESSAGE_ID.search(text[:_LARGEST])
    return found[1] if found and found[1].isascii() else ""


def returned_mark(text: str) -> str:
    """Return Butler's mark in the mail that a report contains; it survives if a provider changes the Message-ID."""
    found = _MARK.search(text[:_LARGEST])
    return found[1] if found else ""


def _fields(block: str) -> Mapping[str, str]:
    fields: dict[str, str] = {}
    for line in _FOLD.sub(" ", block).split("\n"):
        if found := _FIELD.fullmatch(line):
            fields.setdefault(found[1].lower(), found[2].strip()[:_LONGEST])
    return fields


def _typed(value: str) -> str:
    """Return a value without the type before it, as in `rfc822; a@b`."""
    kind, semicolon, rest = value.partition(";")
    text = (rest if semicolon and " " not in kind.strip() else value).strip()
    return decoded(text.removeprefix("<").removesuffix(">"))


def _action(status: str) -> str:
    return {"2": "delivered", "4": "delayed"}.get(status[:1], "failed")
