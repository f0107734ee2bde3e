"""The operations on messages and threads."""

from butler.demo.gmail.call_context import CallContext, Json, raw_of
from butler.demo.gmail.google_errors import invalid_argument, not_found
from butler.demo.gmail.mime import attachment, encode_bytes
from butler.demo.gmail.records import Message
from butler.demo.gmail.search import parse_query
from butler.demo.gmail.views import message_stub, message_summary, message_view

_BATCH_MAXIMUM = 1000


def found_messages(call: CallContext, *, label_ids: tuple[str, ...]) -> list[Message]:
    """Return what the parameters `q` and `includeSpamTrash` and these labels find, newest first."""
    query = parse_query(call.query(), call.mailbox, call.now)
    everywhere = call.flag("includeSpamTrash")
    hidden: set[str] = set()
    if not (everywhere or query.reaches_trash or "TRASH" in label_ids):
        hidden.add("TRASH")
    if not (everywhere or query.reaches_spam or "SPAM" in label_ids):
        hidden.add("SPAM")
    return [
        message
        for message in call.mailbox.newest_first()
        if hidden.isdisjoint(message.label_ids) and set(label_ids) <= set(message.label_ids) and query.matches(message)
    ]


async def list_messages(call: CallContext) -> Json:
    """`users.messages.list`."""
    messages = found_messages(call, label_ids=call.texts("labelIds"))
    return call.list_answer("messages", [message_stub(message) for message in messages])


async def get_message(call: CallContext) -> Json:
    """`users.messages.get`."""
    return message_view(call.message(), call.format(), call.texts("metadataHeaders"))


async def get_attachment(call: CallContext) -> Json:
    """`users.messages.attachments.get`."""
    message = call.mailbox.get(call.text("messageId"))
    data = attachment(message.raw, call.text("id")) if message else None
    if data is None:
        raise not_found()
    return {"size": len(data), "data": encode_bytes(data)}


async def send_message(call: CallContext) -> Json:
    """`users.messages.send`: a given thread takes the mail only if the subject is the thread's."""
    mail = call.post_office.accept(call.mailbox, raw_of(call.body), call.now)
    thread_id = call.given_thread(call.body)
    if thread_id:
        subjects = {message.content.base_subject for message in call.mailbox.thread(thread_id)}
        thread_id = thread_id if mail.content.base_subject in subjects else None
    return message_summary(await call.post_office.dispatch(call.mailbox, mail, call.now, thread_id))


async def modify_message(call: CallContext) -> Json:
    """`users.messages.modify`."""
    add, remove = call.labels_to_change()
    return message_summary(call.mailbox.relabel(call.message(), add, remove))


async def batch_modify(call: CallContext) -> None:
    """`users.messages.batchModify`: at most 1,000 ids; ids that do not exist are passed over."""
    ids: list[str] = call.body.get("ids") or []
    if not ids:
        raise invalid_argument("No message ids specified")
    if len(ids) > _BATCH_MAXIMUM:
        raise invalid_argument(f"Too many message ids: at most {_BATCH_MAXIMUM}")
    add, remove = call.labels_to_change()
    for message in filter(None, map(call.mailbox.get, ids)):
        call.mailbox.relabel(message, add, remove)


async def trash_message(call: CallContext) -> Json:
    """`users.messages.trash`."""
    return message_summary(call.mailbox.relabel(call.message(), ["TRASH"], ["INBOX"]))


async def untrash_message(call: CallContext) -> Json:
    """`users.messages.untrash`: out of the trash, but not back into the inbox, as in Gmail."""
    return message_summary(call.mailbox.relabel(call.message(), [], ["TRASH"]))


async def list_threads(call: CallContext) -> Json:
    """`users.threads.list`: the threads in which a message is found, by their newest found message."""
    newest: dict[str, Message] = {}
    for message in found_messages(call, label_ids=call.texts("labelIds")):
        newest.setdefault(message.thread_id, message)
    threads = [
        {
            "id": thread_id,
            "snippet": message.content.snippet,
            "historyId": _history_id(call.mailbox.thread(thread_id)),
        }
        for thread_id, message in newest.items()
    ]
    return call.list_answer("threads", threads)


async def get_thread(call: CallContext) -> Json:
    """`users.threads.get`."""
    messages = call.mailbox.thread(call.text("id"))
    if not messages:
        raise not_found()
    form = call.format()
    views = [message_view(message, form, call.texts("metadataHeaders")) for message in messages]
    return {"id": call.text("id"), "historyId": _history_id(messages), "messages": views}


def _history_id(messages: list[Message]) -> str:
    return str(max(message.history_id for message in messages))
