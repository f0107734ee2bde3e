"""The operations on drafts. Sending consumes one."""

from butler_demo.gmail.call_context import CallContext
from butler_demo.gmail.header_block import canonical
from butler_demo.gmail.records import Draft, Message
from butler_demo.gmail.views import message_stub, message_summary, message_view
from butler_demo.google.call import Json
from butler_demo.google.errors import invalid_argument, not_found
from butler_demo.schemas import decode_bytes


async def create_draft(call: CallContext) -> Json:
    """`users.drafts.create`."""
    raw, thread_id = _content(call)
    return _summary(call, call.mailbox.create_draft(raw, call.now, thread_id))


async def update_draft(call: CallContext) -> Json:
    """`users.drafts.update`: the draft keeps its id, and holds a new message."""
    draft = _draft(call, call.text("id"))
    raw, thread_id = _content(call)
    return _summary(call, call.mailbox.replace_draft(draft, raw, call.now, thread_id))


async def get_draft(call: CallContext) -> Json:
    """`users.drafts.get`."""
    draft = _draft(call, call.text("id"))
    return {"id": draft.id, "message": message_view(_message(call, draft), call.format("metadata"))}


async def list_drafts(call: CallContext) -> Json:
    """`users.drafts.list`."""

    def view(draft: Draft) -> Json:
        return {"id": draft.id, "message": message_stub(_message(call, draft))}

    return call.list_answer("drafts", call.mailbox.drafts(), view)


async def delete_draft(call: CallContext) -> None:
    """`users.drafts.delete`."""
    call.mailbox.delete_draft(_draft(call, call.text("id")))


async def send_draft(call: CallContext) -> Json:
    """`users.drafts.send`: the sent message has a new id; a second send of the draft finds nothing."""
    draft = _draft(call, call.body.get("id") or "")
    held = _message(call, draft)
    mail = call.post_office.accept(call.mailbox, held.raw, call.now)
    call.mailbox.delete_draft(draft)
    return message_summary(await call.post_office.dispatch(call.mailbox, mail, call.now, held.thread_id))


def _content(call: CallContext) -> tuple[bytes, str | None]:
    message: Json = call.body.get("message") or {}
    if not message.get("raw"):
        raise invalid_argument("Missing draft message")
    thread_id: str | None = message.get("threadId")
    if thread_id and not call.mailbox.thread(thread_id):
        raise not_found()
    return canonical(decode_bytes(message["raw"])), thread_id


def _summary(call: CallContext, draft: Draft) -> Json:
    return {"id": draft.id, "message": message_summary(_message(call, draft))}


def _draft(call: CallContext, draft_id: str) -> Draft:
    draft = call.mailbox.draft(draft_id)
    if draft is None:
        raise not_found()
    return draft


def _message(call: CallContext, draft: Draft) -> Message:
    message = call.mailbox.get(draft.message_id)
    if message is None:
        raise not_found()
    return message
