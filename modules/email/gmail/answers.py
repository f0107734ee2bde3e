"""Maps Gmail's answers to our records: a mail's facts, its headers as a mail without a body, a history record."""

import html
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from modules.email.integration_gmail_records import ChangeKind
from modules.email.smtp.compose import CALL_MARK
from modules.email.user_reports import is_report

_KINDS = {
    "messagesAdded": ChangeKind.ADDED,
    "messagesDeleted": ChangeKind.DELETED,
    "labelsAdded": ChangeKind.LABELLED,
    "labelsRemoved": ChangeKind.UNLABELLED,
}

HISTORY_TYPES = {
    ChangeKind.ADDED: "messageAdded",
    ChangeKind.DELETED: "messageDeleted",
    ChangeKind.LABELLED: "labelAdded",
    ChangeKind.UNLABELLED: "labelRemoved",
}
"""The names by which a call requests each kind of change."""


def got(message: Mapping[str, Any]) -> dict[str, Any]:
    """Return a mail's facts in the form of `Got`."""
    return {
        "id": message["id"],
        "thread_id": message["threadId"],
        "labels": message.get("labelIds", []),
        "received_at": _received_at(message.get("internalDate", "0")),
        "size": message.get("sizeEstimate", 0),
        "snippet": _storable(html.unescape(message.get("snippet", ""))),
        "delivery_report": any(map(_is_of_a_report, _headers(message))),
    }


def header_block(message: Mapping[str, Any]) -> bytes:
    """Return a message's headers, as Gmail lists them, as a mail without a body."""
    # Content-Type describes a body, which is missing here.
    headers = [item for item in _headers(message) if item["name"].lower() != "content-type"]
    lines = [f"{item['name']}: {_value(item['name'], item['value'])}" for item in headers]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "replace")


def marked(headers: bytes, token: str) -> bool:
    """Return whether a header block has our mark of this call."""
    return f"{CALL_MARK}: {token}".lower().encode() in headers.lower().split(b"\r\n")


def changes_of(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the changes of one history record in the form of `Change`."""
    for name, kind in _KINDS.items():
        for item in record.get(name, []):
            message = item["message"]
            labels = message.get("labelIds", []) if kind is ChangeKind.ADDED else item.get("labelIds", [])
            yield {"kind": kind, "id": message["id"], "thread_id": message["threadId"], "labels": labels}


def _headers(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    return message.get("payload", {}).get("headers", [])


def _is_of_a_report(header: Mapping[str, Any]) -> bool:
    return header["name"].lower() == "content-type" and is_report(str(header["value"]))


def _received_at(milliseconds: str) -> datetime:
    """Return a mail's time of arrival; an imported mail may have an impossible one."""
    try:
        return datetime.fromtimestamp(max(0, int(milliseconds)) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _storable(text: str) -> str:
    """Return the text without lone surrogates and NUL, which cannot be stored."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _value(name: str, value: Any) -> str:
    text = " ".join(str(value).split())
    display, mark, address = text.rpartition("<")
    if name.lower() != "from" or not mark or not display.strip():
        return text
    # Gmail has decoded the name; an address within it must not pass for the sender's.
    plain = display.replace("\\", "").replace('"', "").strip()
    return f'"{plain}" <{address}'
