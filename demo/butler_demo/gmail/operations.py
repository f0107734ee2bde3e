"""The operations that the Gmail stand-in has, but for those on drafts."""

import re
from collections.abc import Mapping
from datetime import timedelta

from butler_demo.gmail import operations_drafts as drafts
from butler_demo.gmail.call_context import CallContext
from butler_demo.gmail.records import Message, Watch
from butler_demo.gmail.search import found_messages
from butler_demo.gmail.views import (
    alias_view,
    history_view,
    label_view,
    message_stub,
    message_view,
    own_address_view,
    thread_history_id,
)
from butler_demo.google.call import Json
from butler_demo.google.errors import invalid_argument, not_found
from butler_demo.google.service import Served, served

_TOPIC = re.compile(r"projects/[^/]+/topics/[^/]+")
_WATCH_LASTS = timedelta(days=7)
_BATCH_MAXIMUM = 1000


async def get_profile(call: CallContext) -> Json:
    """`users.getProfile`."""
    messages = call.mailbox.newest_first()
    return {
        "emailAddress": call.mailbox.address,
        "messagesTotal": len(messages),
        "threadsTotal": len({message.thread_id for message in messages}),
        "historyId": str(call.mailbox.history.current),
    }


async def list_history(call: CallContext) -> Json:
    """`users.history.list`: 404 for an id that is too old or was never given out."""
    if "startHistoryId" not in call.parameters:
        raise invalid_argument("Missing startHistoryId")
    start = int(call.text("startHistoryId"))
    history = call.mailbox.history
    if not history.knows(start, call.now):
        raise not_found()
    kinds = call.texts("historyTypes")
    page, more = call.mail_page([entry for entry in history.since(start) if not kinds or entry.kind in kinds])
    answer: Json = {"historyId": str(history.current)} | more
    if page:
        answer["history"] = [history_view(entry) for entry in page]
    return answer


async def watch(call: CallContext) -> Json:
    """`users.watch`: of the whole mailbox; see `push` for what is published."""
    topic: str = call.body.get("topicName") or ""
    if not _TOPIC.fullmatch(topic):
        raise invalid_argument("Invalid topicName does not match projects/*/topics/*")
    call.mailbox.watch = Watch(topic, call.now + _WATCH_LASTS)
    ends = str(int(call.mailbox.watch.ends.timestamp() * 1000))
    return {"historyId": str(call.mailbox.history.current), "expiration": ends}


async def stop(call: CallContext) -> None:
    """`users.stop`."""
    call.mailbox.watch = None


async def list_send_as(call: CallContext) -> Json:
    """`users.settings.sendAs.list`: the own address first."""
    return {"sendAs": [own_address_view(call.mailbox), *map(alias_view, call.mailbox.aliases.values())]}


async def list_labels(call: CallContext) -> Json:
    """`users.labels.list`."""
    return {"labels": [label_view(label) for label in call.mailbox.labels.all()]}


async def create_label(call: CallContext) -> Json:
    """`users.labels.create`: a name with slashes nests, whether or not the upper levels are there."""
    return label_view(call.mailbox.labels.create(call.body.get("name") or ""))


async def list_messages(call: CallContext) -> Json:
    """`users.messages.list`."""
    messages = found_messages(call.mailbox, call.text("q"), call.texts("labelIds"), call.now)
    return call.list_answer("messages", messages, message_stub)


async def get_message(call: CallContext) -> Json:
    """`users.messages.get`."""
    message = call.mailbox.get(call.text("id"))
    if message is None:
        raise not_found()
    return message_view(message, call.format("metadata", "raw"), call.texts("metadataHeaders"))


async def batch_modify(call: CallContext) -> None:
    """`users.messages.batchModify`: ids that do not exist are passed over."""
    ids: list[str] = call.body.get("ids") or []
    if not ids:
        raise invalid_argument("No message ids specified")
    if len(ids) > _BATCH_MAXIMUM:
        raise invalid_argument(f"Too many message ids: at most {_BATCH_MAXIMUM}")
    add: list[str] = call.body.get("addLabelIds") or []
    remove: list[str] = call.body.get("removeLabelIds") or []
    call.mailbox.labels.check_change(add, remove)
    for message in filter(None, map(call.mailbox.get, ids)):
        call.mailbox.relabel(message, add, remove)


async def list_threads(call: CallContext) -> Json:
    """`users.threads.list`: the threads in which a message is found, by their newest found message."""
    newest: dict[str, Message] = {}
    for message in found_messages(call.mailbox, call.text("q"), (), call.now):
        newest.setdefault(message.thread_id, message)

    def view(message: Message) -> Json:
        history_id = thread_history_id(call.mailbox.thread(message.thread_id))
        return {"id": message.thread_id, "snippet": message.content.snippet, "historyId": history_id}

    return call.list_answer("threads", list(newest.values()), view)


async def get_thread(call: CallContext) -> Json:
    """`users.threads.get`."""
    messages = call.mailbox.thread(call.text("id"))
    if not messages:
        raise not_found()
    form, names = call.format("metadata"), call.texts("metadataHeaders")
    views = [message_view(message, form, names) for message in messages]
    return {"id": call.text("id"), "historyId": thread_history_id(messages), "messages": views}


_PAGE = "userId maxResults pageToken"
OPERATIONS: Mapping[str, Served] = {
    "gmail.users.getProfile": served(get_profile, "userId"),
    "gmail.users.history.list": served(list_history, f"{_PAGE} startHistoryId historyTypes"),
    "gmail.users.watch": served(watch, "userId"),
    "gmail.users.stop": served(stop, "userId"),
    "gmail.users.settings.sendAs.list": served(list_send_as, "userId"),
    "gmail.users.labels.list": served(list_labels, "userId"),
    "gmail.users.labels.create": served(create_label, "userId"),
    "gmail.users.messages.list": served(list_messages, f"{_PAGE} q labelIds"),
    "gmail.users.messages.get": served(get_message, "userId id format metadataHeaders"),
    "gmail.users.messages.batchModify": served(batch_modify, "userId"),
    "gmail.users.threads.list": served(list_threads, f"{_PAGE} q"),
    "gmail.users.threads.get": served(get_thread, "userId id format metadataHeaders"),
    "gmail.users.drafts.create": served(drafts.create_draft, "userId"),
    "gmail.users.drafts.update": served(drafts.update_draft, "userId id"),
    "gmail.users.drafts.get": served(drafts.get_draft, "userId id format"),
    "gmail.users.drafts.list": served(drafts.list_drafts, _PAGE),
    "gmail.users.drafts.delete": served(drafts.delete_draft, "userId id"),
    "gmail.users.drafts.send": served(drafts.send_draft, "userId"),
}
