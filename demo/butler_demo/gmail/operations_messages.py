"""The operations on messages."""

from datetime import datetime
from email.utils import parsedate_to_datetime

from butler_demo.gmail.call_context import CallContext
from butler_demo.gmail.header_block import canonical
from butler_demo.gmail.mime import attachment, encode_bytes, read_mail
from butler_demo.gmail.post_office import USUAL_LABELS
from butler_demo.gmail.records import Message
from butler_demo.gmail.search import parse_query
from butler_demo.gmail.views import message_stub, message_summary, message_view
from butler_demo.google.call import Json
from butler_demo.google.errors import invalid_argument, not_found

_BATCH_MAXIMUM = 1000


def found_messages(call: CallContext, *, label_ids: tuple[str, ...]) -> list[Message]:
    """Return what the parameters `q` and `includeSpamTrash` and these labels find, newest first.

    The pages of one list ask the same again and again, so the last answer is kept as long as nothing changes.
    """
    text = call.query()
    everywhere = call.flag("includeSpamTrash")
    of_now = call.now if "_than:" in text.lower() else None
    state = (call.mailbox.history.current, call.mailbox.labels.version, call.mailbox.addresses)
    question = (text, label_ids, everywhere, of_now, *state)
    kept = call.mailbox.last_search
    if kept is None or kept[0] != question:
        kept = call.mailbox.last_search = (question, _search(call, text, label_ids, everywhere=everywhere))
    return kept[1]


def _search(call: CallContext, text: str, label_ids: tuple[str, ...], *, everywhere: bool) -> list[Message]:
    query = parse_query(text, call.mailbox, call.now)
    hidden: set[str] = set()
    if not (everywhere or query.reaches_trash or "TRASH" in label_ids):
        hidden.add("TRASH")
    if not (everywhere or query.reaches_spam or "SPAM" in label_ids):
        hidden.add("SPAM")
    return [
        message
        for message in call.mailbox.newest_first()
        if hidden.isdisjoint(message.label_ids)
        and all(label in message.label_ids for label in label_ids)
        and query.matches(message)
    ]


async def list_messages(call: CallContext) -> Json:
    """`users.messages.list`."""
    messages = found_messages(call, label_ids=call.texts("labelIds"))
    return call.list_answer("messages", messages, message_stub)


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
    mail = call.post_office.accept(call.mailbox, call.raw_of(call.body), call.now)
    thread_id = call.given_thread(call.body)
    if thread_id:
        subjects = {message.content.base_subject for message in call.mailbox.thread(thread_id)}
        thread_id = thread_id if mail.content.base_subject in subjects else None
    return message_summary(await call.post_office.dispatch(call.mailbox, mail, call.now, thread_id))


async def insert_message(call: CallContext) -> Json:
    """`users.messages.insert`: like IMAP's APPEND, with the labels given and no others."""
    return _put(call, call.body.get("labelIds") or [])


async def import_message(call: CallContext) -> Json:
    """`users.messages.import`: like a mail that came in, if no labels are given."""
    return _put(call, call.body.get("labelIds") or [*USUAL_LABELS, "UNREAD"])


async def modify_message(call: CallContext) -> Json:
    """`users.messages.modify`."""
    add, remove = call.labels_to_change()
    return message_summary(call.mailbox.relabel(call.message(), add, remove))


async def batch_modify(call: CallContext) -> None:
    """`users.messages.batchModify`: ids that do not exist are passed over."""
    ids = _batch_ids(call)
    add, remove = call.labels_to_change()
    for message in filter(None, map(call.mailbox.get, ids)):
        call.mailbox.relabel(message, add, remove)


async def batch_delete(call: CallContext) -> None:
    """`users.messages.batchDelete`: for good; ids that do not exist are passed over."""
    for message_id in _batch_ids(call):
        if call.mailbox.get(message_id):
            call.mailbox.delete(message_id)


async def delete_message(call: CallContext) -> None:
    """`users.messages.delete`: for good."""
    call.mailbox.delete(call.message().id)


async def trash_message(call: CallContext) -> Json:
    """`users.messages.trash`."""
    return message_summary(call.mailbox.relabel(call.message(), ["TRASH"], ["INBOX"]))


async def untrash_message(call: CallContext) -> Json:
    """`users.messages.untrash`: out of the trash, but not back into the inbox, as in Gmail."""
    return message_summary(call.mailbox.relabel(call.message(), [], ["TRASH"]))


def _batch_ids(call: CallContext) -> list[str]:
    """Return the body's ids, at most 1,000. Raises GoogleError 400 before anything is changed."""
    ids: list[str] = call.body.get("ids") or []
    if not ids:
        raise invalid_argument("No message ids specified")
    if len(ids) > _BATCH_MAXIMUM:
        raise invalid_argument(f"Too many message ids: at most {_BATCH_MAXIMUM}")
    return ids


def _put(call: CallContext, label_ids: list[str]) -> Json:
    call.mailbox.labels.check_known([label for label in label_ids if label not in ("SENT", "DRAFT")])
    raw = canonical(call.raw_of(call.body))
    received = _date_of(raw, call.now) if call.text("internalDateSource") == "dateHeader" else call.now
    return message_summary(call.mailbox.add(raw, label_ids, received, call.given_thread(call.body)))


def _date_of(raw: bytes, now: datetime) -> datetime:
    try:
        date = parsedate_to_datetime(read_mail(raw).header("Date"))
    except ValueError:
        return now
    return date if date.tzinfo else date.replace(tzinfo=now.tzinfo)
