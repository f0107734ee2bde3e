"""Stored records in the JSON shapes of the API."""

from typing import Any

from butler_demo.gmail.history import HistoryEntry, HistoryKind
from butler_demo.gmail.mailbox import Mailbox
from butler_demo.gmail.mime import encode_bytes, payload_headers, payload_tree
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
    """Return the message in the format `form`: minimal, metadata, full or raw."""
    view = message_summary(message) | {
        "snippet": message.content.snippet,
        "historyId": str(message.history_id),
        "internalDate": str(int(message.received.timestamp() * 1000)),
        "sizeEstimate": len(message.raw),
    }
    if form == "full":
        view["payload"] = payload_tree(message.raw)
    elif form == "metadata":
        view["payload"] = payload_headers(message.raw, metadata_headers)
    elif form == "raw":
        view["raw"] = encode_bytes(message.raw)
    return view


def thread_summary(messages: list[Message]) -> dict[str, Any]:
    """Return what a change of a thread answers."""
    return {
        "id": messages[0].thread_id,
        "historyId": thread_history_id(messages),
        "messages": [message_summary(message) for message in messages],
    }


def thread_history_id(messages: list[Message]) -> str:
    """Return the id of the last change in the thread."""
    return str(max(message.history_id for message in messages))


def label_view(label: Label) -> dict[str, Any]:
    """Return the label as a list shows it."""
    view: dict[str, Any] = {"id": label.id, "name": label.name, "type": "system" if label.system else "user"}
    if not label.system:
        view |= {"messageListVisibility": label.message_list, "labelListVisibility": label.label_list}
    if label.color:
        view["color"] = {"textColor": label.color[0], "backgroundColor": label.color[1]}
    return view


def counted_label_view(label: Label, mailbox: Mailbox) -> dict[str, Any]:
    """Return the label as getting it alone shows it: with its counts."""
    names = ("messagesTotal", "messagesUnread", "threadsTotal", "threadsUnread")
    return label_view(label) | dict(zip(names, mailbox.count(label.id), strict=True))


def own_address_view(mailbox: Mailbox) -> dict[str, Any]:
    """Return the account's own address among those it can send as; it needs no verification."""
    usual = not any(alias.default for alias in mailbox.aliases.values())
    return {
        "sendAsEmail": mailbox.address,
        "displayName": mailbox.name,
        "replyToAddress": "",
        "signature": "",
        "isPrimary": True,
        "isDefault": usual,
    }


def alias_view(alias: Alias) -> dict[str, Any]:
    """Return an alias."""
    view = {
        "sendAsEmail": alias.email,
        "displayName": alias.name,
        "replyToAddress": alias.reply_to,
        "signature": alias.signature,
        "treatAsAlias": True,
        "verificationStatus": "accepted" if alias.verified else "pending",
    }
    return view | ({"isDefault": True} if alias.default else {})


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
