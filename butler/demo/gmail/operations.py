"""The table of what the stand-in can do, and the operations on the account itself: profile, labels, history."""

from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from butler.demo.gmail import operations_drafts as drafts
from butler.demo.gmail import operations_messages as messages
from butler.demo.gmail.call_context import CallContext, Json
from butler.demo.gmail.google_errors import GoogleError, invalid_argument, not_found
from butler.demo.gmail.views import history_view, label_view

OperationHandler: TypeAlias = Callable[[CallContext], Awaitable[Json | None]]


async def get_profile(call: CallContext) -> Json:
    """`users.getProfile`."""
    held = call.mailbox.newest_first()
    return {
        "emailAddress": call.mailbox.address,
        "messagesTotal": len(held),
        "threadsTotal": len({message.thread_id for message in held}),
        "historyId": str(call.mailbox.history.current),
    }


async def list_labels(call: CallContext) -> Json:
    """`users.labels.list`."""
    return {"labels": [label_view(label) for label in call.mailbox.labels.values()]}


async def create_label(call: CallContext) -> Json:
    """`users.labels.create`."""
    name: str = call.body.get("name") or ""
    if not name.strip():
        raise invalid_argument("Invalid label name")
    if name.lower() in (label.name.lower() for label in call.mailbox.labels.values()):
        raise GoogleError(409, "aborted", "Label name exists or conflicts")
    return label_view(call.mailbox.create_label(name))


async def list_history(call: CallContext) -> Json:
    """`users.history.list`: 404 for an id that is too old or was never given out."""
    if "startHistoryId" not in call.parameters:
        raise invalid_argument("Missing startHistoryId")
    start = int(call.text("startHistoryId"))
    history = call.mailbox.history
    if not history.knows(start):
        raise not_found()
    kinds, label_id = call.texts("historyTypes"), call.text("labelId")
    entries = [
        entry
        for entry in history.since(start)
        if (not kinds or entry.kind in kinds) and (not label_id or label_id in entry.message.label_ids)
    ]
    page, more = call.page(entries)
    answer: Json = {"historyId": str(history.current)} | more
    if page:
        answer["history"] = [history_view(entry) for entry in page]
    return answer


OPERATIONS: Mapping[str, OperationHandler] = {
    "gmail.users.getProfile": get_profile,
    "gmail.users.labels.list": list_labels,
    "gmail.users.labels.create": create_label,
    "gmail.users.history.list": list_history,
    "gmail.users.messages.list": messages.list_messages,
    "gmail.users.messages.get": messages.get_message,
    "gmail.users.messages.attachments.get": messages.get_attachment,
    "gmail.users.messages.send": messages.send_message,
    "gmail.users.messages.modify": messages.modify_message,
    "gmail.users.messages.batchModify": messages.batch_modify,
    "gmail.users.messages.trash": messages.trash_message,
    "gmail.users.messages.untrash": messages.untrash_message,
    "gmail.users.threads.list": messages.list_threads,
    "gmail.users.threads.get": messages.get_thread,
    "gmail.users.drafts.create": drafts.create_draft,
    "gmail.users.drafts.update": drafts.update_draft,
    "gmail.users.drafts.get": drafts.get_draft,
    "gmail.users.drafts.list": drafts.list_drafts,
    "gmail.users.drafts.delete": drafts.delete_draft,
    "gmail.users.drafts.send": drafts.send_draft,
}
