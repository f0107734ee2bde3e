"""The outbox: what the butler says to its owner, stored before it is sent.

Delivery is at least once: a double is possible, a loss is not.
"""

import uuid
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from butler.contract.card import MessageRef, OwnerMessage
from butler.store.queries import work
from butler.store.tables import inbox, outbox

DELIVER = "deliver"
REDRAW = "redraw"
MAIL_ANSWER = "mail_answer"
BY_MAIL = "by_mail"
"""The state of an answer to a request by mail that is to go back by mail; its `chat` is the request's inbound id."""
HELD = "held"
"""The state of a message that waits until the quiet hours are over."""
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
    """A message on its way, or where it stands."""

    message_id: str
    chat: str
    message: OwnerMessage
    state: str
    ref: MessageRef | None
    dedup_key: str = ""


def add(
    connection: sa.Connection, chat: str, message: OwnerMessage, *, now: datetime, dedup_key: str | None = None
) -> str | None:
    """Put a message on its way; its id, or None when a message with this key was said before."""
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


def add_kept(connection: sa.Connection, chat: str, message: OwnerMessage, why: str, *, now: datetime) -> None:
    """Keep a message for a chat that is closed to the butler, until the owner writes there."""
    values = {"message_id": uuid.uuid4().hex, "chat": chat, "message": message.model_dump(mode="json")}
    connection.execute(outbox.insert().values(**values, state="kept", detail=why, created_at=now))


def add_held(
    connection: sa.Connection, chat: str, message: OwnerMessage, *, now: datetime, dedup_key: str
) -> str | None:
    """Hold a message until somebody lets it go; its id, or None when a message with this key is known."""
    if connection.execute(_KNOWN, {"key": dedup_key}).first():
        return None
    message_id = uuid.uuid4().hex
    values = {"message_id": message_id, "chat": chat, "message": message.model_dump(mode="json")}
    connection.execute(outbox.insert().values(**values, state=HELD, dedup_key=dedup_key, created_at=now))
    return message_id


def held(connection: sa.Connection, chat: str) -> list[OutboxRow]:
    """What is held for a chat, in order."""
    query = sa.select(outbox.c.message_id).where(outbox.c.chat == chat, outbox.c.state == HELD)
    ids = connection.execute(query.order_by(outbox.c.created_at, outbox.c.message_id)).scalars().all()
    return [row for message_id in ids if (row := get(connection, message_id)) is not None]


def let_go(connection: sa.Connection, message_id: str, now: datetime) -> None:
    """A message that was held goes on its way."""
    row = get(connection, message_id)
    if row is not None and row.state == HELD:
        connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(state="waiting"))
        work.add(connection, DELIVER, message_id, now=now, lane=f"out:{row.chat}")


def said_with(connection: sa.Connection, message_id: str, other: str, now: datetime) -> None:
    """A message that was held is said as a part of another one."""
    values = {"state": "merged", "detail": other, "sent_at": now}
    connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(**values))


def add_by_mail(
    connection: sa.Connection, inbound_id: str, message: OwnerMessage, *, now: datetime, dedup_key: str
) -> None:
    """Put the answer to a request by mail on its way back by mail; nothing where this key is known."""
    if connection.execute(_KNOWN, {"key": dedup_key}).first():
        return
    message_id = uuid.uuid4().hex
    values = {"message_id": message_id, "chat": inbound_id, "message": message.model_dump(mode="json")}
    connection.execute(outbox.insert().values(**values, state=BY_MAIL, dedup_key=dedup_key, created_at=now))
    work.add(connection, MAIL_ANSWER, message_id, now=now)


def by_key(connection: sa.Connection, dedup_key: str) -> OwnerMessage | None:
    """The message that was said under a key."""
    found = connection.execute(sa.select(outbox.c.message).where(outbox.c.dedup_key == dedup_key)).scalar()
    return None if found is None else OwnerMessage.model_validate(found)


def id_by_key(connection: sa.Connection, dedup_key: str) -> str | None:
    """The id of the message that was said, or is held, under a key."""
    return connection.execute(_KNOWN, {"key": dedup_key}).scalar()


def get(connection: sa.Connection, message_id: str) -> OutboxRow | None:
    """One message."""
    row = connection.execute(_MESSAGE, {"id": message_id}).mappings().first()
    if row is None:
        return None
    ref = MessageRef.model_validate(row["refs"]) if row["refs"] else None
    message = OwnerMessage.model_validate(row["message"])
    return OutboxRow(row["message_id"], row["chat"], message, row["state"], ref, row["dedup_key"] or "")


def by_ref(connection: sa.Connection, chat: str, provider_id: str) -> str | None:
    """The message that stands at a provider's id in a chat, among the last few hundred."""
    rows = connection.execute(
        sa.select(outbox.c.message_id, outbox.c.refs)
        .where(outbox.c.chat == chat, outbox.c.state == "sent")
        .order_by(outbox.c.sent_at.desc())
        .limit(RECENT)
    )
    return next((m for m, refs in rows if refs and provider_id in refs["message_ids"]), None)


def sent(connection: sa.Connection, message_id: str, ref: MessageRef, now: datetime) -> None:
    """It was accepted."""
    values = {"state": "sent", "refs": ref.model_dump(mode="json"), "sent_at": now}
    connection.execute(_SENT, {"id": message_id, **values})


def reword(connection: sa.Connection, message_id: str, message: OwnerMessage) -> None:
    """It says something else by now: what is not sent yet goes out so, what was sent is drawn anew by the caller."""
    values = {"message": message.model_dump(mode="json")}
    connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(values))


def sent_by_mail(connection: sa.Connection, message_id: str, now: datetime) -> None:
    """It has left by mail, and stands in no chat."""
    connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(state="sent", sent_at=now))


def redraw(connection: sa.Connection, message_id: str, message: OwnerMessage, now: datetime) -> None:
    """It says something else by now, wherever it is: on its way, or in the chat.

    Only how it reads last is sent, in the order of its chat; one that is just leaving is drawn anew once its place is
    known.
    """
    row = get(connection, message_id)
    if row is None:
        return
    reword(connection, message_id, message)
    if row.ref is not None or row.state == "waiting":
        work.cancel(connection, REDRAW, message_id)
        work.add(connection, REDRAW, message_id, now=now, lane=f"out:{row.chat}")


def refused(connection: sa.Connection, message_id: str, detail: str, now: datetime) -> None:
    """It can never be delivered."""
    connection.execute(
        outbox.update().where(outbox.c.message_id == message_id).values(state=REFUSED, detail=detail, sent_at=now)
    )


def keep(connection: sa.Connection, message_id: str, detail: str) -> None:
    """The chat is closed to the butler: the message waits until the owner writes there."""
    work.cancel(connection, DELIVER, message_id)
    connection.execute(outbox.update().where(outbox.c.message_id == message_id).values(state="kept", detail=detail))


def kept_for(connection: sa.Connection, inbound_id: str) -> bool:
    """Whether something is kept for the chat that an item came in from."""
    return connection.execute(_KEPT_FOR, {"inbound": inbound_id}).first() is not None


def keeps(connection: sa.Connection, chat: str) -> bool:
    """Whether something is kept for a chat."""
    query = sa.select(outbox.c.message_id).where(outbox.c.chat == chat, outbox.c.state == "kept").limit(1)
    return connection.execute(query).first() is not None


def revive(connection: sa.Connection, chat: str, now: datetime) -> int:
    """The owner wrote in a chat: what was kept for it goes on its way, in order; how many messages."""
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
    """A group became a supergroup: what waits for it goes there."""
    connection.execute(outbox.update().where(outbox.c.chat == old, outbox.c.state == "waiting").values(chat=new))
