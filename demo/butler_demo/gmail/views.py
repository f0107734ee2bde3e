"""Stored records in the JSON shapes of the API."""

from typing import Any

from butler_demo.gmail.history import HistoryEntry, HistoryKind
from butler_demo.gmail.mailbox import Mailbox
from butler_demo.gmail.mime import encode_bytes, payload_headers
from butler_demo.gmail.records import Alias, Label, Message

_HISTORY_FIELDS = {
    HistoryKind.MESSAGE_ADDED: "messagesAdded",
    HistoryKind.MESSAGE_DELETED: "messagesDeleted",
    HistoryKind.LABEL_ADDED: "labelsAdded",
    HistoryKind.LABEL_REMOVED: "labelsRemoved",
}


def message_stub(message: Message) -> dict[str, Any]:
    """Return what a list says of a message: its ids and no more."""
    return {"id": message.id, "threadId": message.thread_id}


def message_summary(message: Message) -> dict[str, Any]:
    """Return what a change answers: the ids and the labels after it."""
    return message_stub(message) | {"labelIds": list(message.label_ids)}


def message_view(message: Message, form: str, metadata_headers: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the message in the format `form`: metadata or raw."""
    view: dict[str, Any] = message_summary(message) | {
        "snippet": message.content.snippet,
        "historyId": str(message.history_id),
        "internalDate": str(int(message.received.timestamp() * 1000)),
        "sizeEstimate": len(message.raw),
    }
    if form == "raw":
        return view | {"raw": encode_bytes(message.raw)}
    return view | {"payload": payload_headers(message.raw, metadata_headers)}


def thread_history_id(messages: list[Message]) -> str:
    """Return the id of the last change in the thread."""
    return str(max(message.history_id for message in messages))


def label_view(label: Label) -> dict[str, Any]:
    """Return the label as a list shows it."""
    return {"id": label.id, "name": label.name, "type": "system" if label.system else "user"}


def own_address_view(mailbox: Mailbox) -> dict[str, Any]:
    """Return the account's own address among those it can send as; it needs no verification."""
    return {"sendAsEmail": mailbox.address, "displayName": mailbox.name, "isPrimary": True, "isDefault": True}


def alias_view(alias: Alias) -> dict[str, Any]:
    """Return an alias."""
    status = "accepted" if alias.verified else "pending"
    return {"sendAsEmail": alias.email, "displayName": alias.name, "verificationStatus": status}


def history_view(entry: HistoryEntry) -> dict[str, Any]:
    """Return one history record."""
    change: dict[str, Any] = {"message": message_summary(entry.message)}
    if entry.label_ids:
        change["labelIds"] = list(entry.label_ids)
    return {
        "id": str(entry.id),
        "messages": [message_stub(entry.message)],
        _HISTORY_FIELDS[entry.kind]: [change],
    }
