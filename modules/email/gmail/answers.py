"""Gmail's answers in our own terms: a mail's facts, its headers as a mail without a body, a record of the history."""

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
"""How a call asks for changes of a kind."""


def got(message: Mapping[str, Any]) -> dict[str, Any]:
    """The facts of a mail, as `Got` takes them."""
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
    """A message's headers as Gmail lists them, written as a mail without a body."""
    # What kind of body it has is said of a mail that has one.
    headers = [item for item in _headers(message) if item["name"].lower() != "content-type"]
    lines = [f"{item['name']}: {_value(item['name'], item['value'])}" for item in headers]
    return "\r\n".join([*lines, "", ""]).encode("utf-8", "replace")


def marked(headers: bytes, token: str) -> bool:
    """Whether a header block bears our mark of this call."""
    return f"{CALL_MARK}: {token}".lower().encode() in headers.lower().split(b"\r\n")


def changes_of(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """The changes in one record of the history, as `Change` takes them."""
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
    """A mail's time of arrival; whoever imports a mail may give it one that is no time at all."""
    try:
        return datetime.fromtimestamp(max(0, int(milliseconds)) / 1000, UTC)
    except (ValueError, OverflowError, OSError):
        return datetime.fromtimestamp(0, UTC)


def _storable(text: str) -> str:
    """Without what no store takes: lone surrogates and NUL."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def _value(name: str, value: Any) -> str:
    text = " ".join(str(value).split())
    display, mark, address = text.rpartition("<")
    if name.lower() != "from" or not mark or not display.strip():
        return text
    # Gmail has decoded the name; an address that was written into it must not pass for the sender's.
    plain = display.replace("\\", "").replace('"', "").strip()
    return f'"{plain}" <{address}'
