"""The outbox: the butler's messages to its owner, stored before they are sent.

Delivery is at least once: duplicates are possible, losses are not.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from butler.contract.card import MessageRef, OwnerMessage
from butler.contract.reasons import Reason, ReasonCode, reason
from butler.store.queries import work
from butler.store.tables import inbox, outbox

DELIVER = "deliver"
REDRAW = "redraw"
MAIL_ANSWER = "mail_answer"
BY_MAIL = "by_mail"
"""The state of an answer that is to be sent by mail; its `chat` is the request's inbound id."""
HELD = "held"
"""The state of a message held for the quiet hours."""
REFUSED = "refused"
"""The state of a message that can never be delivered."""
RECENT = 300
_ADD = outbox.insert()
_KNOWN = sa.select(outbox.c.message_id).where(outbox.c.dedup_key == sa.bindparam("key"))
_MESSAGE = sa.select(outbox).where(outbox.c.message_id == sa.bindparam("id"))
_SENT = outbox.update().where(outbox.c.message_id == sa.bindparam("id"))
_KEPT_FOR = (
    sa.select(sa.literal(1))
    .select_from(outbox.join(inbox, inbox.c.chat == outbox.c.chat))
    .where(inbox.c.inbound_id == sa.bindparam("inbound"), outbox.c.state == "kept")
    .limit(1)
)


@dataclass(frozen=True, slots=True)
class OutboxRow:
    """A message with its delivery state."""

    message_id: str
    chat: str
    message: OwnerMessage
    state: str
    ref: MessageRef | None
    dedup_key: str = ""


def add(
    connection: sa.Connection, chat: str, message: OwnerMessage, *, now: datetime, dedup_key: str | None = None
) -> str | None:
    """Queue a message; return its id, or None if its key is known."""
    if dedup_key is not None and connection.execute(_KNOWN, {"key": dedup_key}).first():
        return None
    message_id = uuid.uuid4().hex
    row = {
        "message_id": message_id,
        "chat": chat,
        "message": message.model_dump(mode="json"),
        "state": "waiting",
        "dedup_key": dedup_key,
        "created_at": now,
    }
    connection.execute(_ADD, row)
    work.add(connection, DELIVER, message_id, now=now, lane=f"out:{chat}")
    return message_id


def add_kept(connection: sa.Connection, chat: str, message: OwnerMessage, why: Reason, *, now: datetime) -> None:
    """Store a message for a chat that is closed to the butler, until the owner writes there."""
    values = {"message_id": uuid.uuid4().hex, "chat": chat, "message": message.model_dump(mode="json")}
    connection.execute(outbox.insert().values(**values, state="kept", detail=(why,), created_at=now))


def add_held(
    connection: sa.Connection, chat: str, message: OwnerMessage, *, now: datetime, dedup_key: str
) -> str | None:
    """Hold a message until it is released; return its id, or None if its key is known."""
    if connection.execute(_KNOWN, {"key": dedup_key}).first():
        return None
    message_id = uuid.uuid4().hex
    values = {"message_id": message_id, "chat": chat, "message": message.model_dump(mode="json")}
    connection.execute(outbox.insert().values(**values, state=HELD, dedup_key=dedup_key, created_at=now))
    return message_id


def held(connection: sa.Connection, chat: str) -> list[OutboxRow]:
    """Return the held messages of a chat, in order."""
    query = sa.select(outbox.c.message_id).where(outbox.c.chat == chat, outbox.c.state == HELD)
    ids = connection.execute(query.order_by(outbox.c.created_at, outbox.c.message_id)).scalars().all()
    return [row for message_id in ids if (row := get(connection, message_id)) is not None]


def chats_held(connection: sa.Connection) -> list[str]:
    """Return the chats that have held messages."""
    query = sa.select(outbox.c.chat).where(outbox.c.state == HELD).distinct()
    return list(connection.execute(query.order_by(outbox.c.chat)).scalars())


def release(connection: sa.Connection, message_id: str, now: datetime) -> None:
    """Release a held message."""
    row = get(connection, message_id)
    if row is not None and row.state == HELD:
        connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(state="waiting"))
        work.add(connection, DELIVER, message_id, now=now, lane=f"out:{row.chat}")


def mark_merged(connection: sa.Connection, message_id: str, other: str, now: datetime) -> None:
    """Note that a held message was sent as a part of another one."""
    values = {"state": "merged", "detail": (reason(ReasonCode.MERGED_INTO, message=other),), "sent_at": now}
    connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(**values))


def add_by_mail(
    connection: sa.Connection, inbound_id: str, message: OwnerMessage, *, now: datetime, dedup_key: str
) -> None:
    """Queue the answer to a request by mail for sending by mail, unless its key is known."""
    if connection.execute(_KNOWN, {"key": dedup_key}).first():
        return
    message_id = uuid.uuid4().hex
    values = {"message_id": message_id, "chat": inbound_id, "message": message.model_dump(mode="json")}
    connection.execute(outbox.insert().values(**values, state=BY_MAIL, dedup_key=dedup_key, created_at=now))
    work.add(connection, MAIL_ANSWER, message_id, now=now)


def by_key(connection: sa.Connection, dedup_key: str) -> OwnerMessage | None:
    """Return the message with a key."""
    found = connection.execute(sa.select(outbox.c.message).where(outbox.c.dedup_key == dedup_key)).scalar()
    return None if found is None else OwnerMessage.model_validate(found)


def id_by_key(connection: sa.Connection, dedup_key: str) -> str | None:
    """Return the id of the sent or held message with a key."""
    return connection.execute(_KNOWN, {"key": dedup_key}).scalar()


def get(connection: sa.Connection, message_id: str) -> OutboxRow | None:
    """Return one message."""
    row = connection.execute(_MESSAGE, {"id": message_id}).mappings().first()
    if row is None:
        return None
    ref = MessageRef.model_validate(row["refs"]) if row["refs"] else None
    message = OwnerMessage.model_validate(row["message"])
    return OutboxRow(row["message_id"], row["chat"], message, row["state"], ref, row["dedup_key"] or "")


def newest(connection: sa.Connection, chat: str) -> OwnerMessage | None:
    """Return the message that was queued last for a chat, as it is now."""
    query = sa.select(outbox.c.message).where(outbox.c.chat == chat).order_by(outbox.c.created_at.desc()).limit(1)
    found = connection.execute(query).scalar()
    return None if found is None else OwnerMessage.model_validate(found)


def by_ref(connection: sa.Connection, chat: str, provider_id: str) -> str | None:
    """Return the message with a provider's id in a chat, among the last few hundred."""
    rows = connection.execute(
        sa.select(outbox.c.message_id, outbox.c.refs)
        .where(outbox.c.chat == chat, outbox.c.state == "sent")
        .order_by(outbox.c.sent_at.desc())
        .limit(RECENT)
    )
    return next((m for m, refs in rows if refs and provider_id in refs["message_ids"]), None)


def sent(connection: sa.Connection, message_id: str, ref: MessageRef, now: datetime) -> None:
    """Note that a message was accepted."""
    values = {"state": "sent", "refs": ref.model_dump(mode="json"), "sent_at": now}
    connection.execute(_SENT, {"id": message_id, **values})


def reword(connection: sa.Connection, message_id: str, message: OwnerMessage) -> None:
    """Change a message's text: an unsent message goes out with it; the caller redraws a sent one."""
    values = {"message": message.model_dump(mode="json")}
    connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(values))


def sent_by_mail(connection: sa.Connection, message_id: str, now: datetime) -> None:
    """Note that a message was sent by mail, and is in no chat."""
    connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(state="sent", sent_at=now))


def redraw(connection: sa.Connection, message_id: str, message: OwnerMessage, now: datetime) -> None:
    """Change a message's text wherever it is: queued, or in the chat.

    Only the last text is sent, in the order of its chat; a message that is being sent is redrawn once its id is known.
    """
    row = get(connection, message_id)
    if row is None:
        return
    reword(connection, message_id, message)
    if row.ref is not None or row.state == "waiting":
        work.cancel(connection, REDRAW, message_id)
        work.add(connection, REDRAW, message_id, now=now, lane=f"out:{row.chat}")


def refused(connection: sa.Connection, message_id: str, why: Reason, now: datetime) -> None:
    """Note that a message can never be delivered."""
    connection.execute(
        outbox.update().where(outbox.c.message_id == message_id).values(state=REFUSED, detail=(why,), sent_at=now)
    )


def keep(connection: sa.Connection, message_id: str, why: Reason) -> None:
    """Keep a message until the owner writes in its chat, which is closed to the butler."""
    work.cancel(connection, DELIVER, message_id)
    connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(state="kept", detail=(why,)))


def kept_for(connection: sa.Connection, inbound_id: str) -> bool:
    """Return whether something is kept for the chat of an item."""
    return connection.execute(_KEPT_FOR, {"inbound": inbound_id}).first() is not None


def keeps(connection: sa.Connection, chat: str) -> bool:
    """Return whether something is kept for a chat."""
    query = sa.select(outbox.c.message_id).where(outbox.c.chat == chat, outbox.c.state == "kept").limit(1)
    return connection.execute(query).first() is not None


def revive(connection: sa.Connection, chat: str, now: datetime) -> int:
    """Queue the kept messages of a chat in which the owner wrote, in order; return their number."""
    rows = connection.execute(
        sa.select(outbox.c.message_id)
        .where(outbox.c.chat == chat, outbox.c.state == "kept")
        .order_by(outbox.c.created_at)
    )
    kept = list(rows.scalars())
    for message_id in kept:
        connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(state="waiting"))
        work.add(connection, DELIVER, message_id, now=now, lane=f"out:{chat}")
    return len(kept)


def rename_chat(connection: sa.Connection, old: str, new: str) -> None:
    """Move a group's waiting messages to its supergroup id."""
    connection.execute(outbox.update().where(outbox.c.chat == old, outbox.c.state == "waiting").values(chat=new))
