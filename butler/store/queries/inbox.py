"""The inbox: everything that came in, stored before its source acknowledged it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import sqlalchemy as sa

from butler.contract.inbound import Inbound
from butler.contract.reasons import Reason, load_reasons, reasons_of_text, reasons_to_text
from butler.contract.tools import Attachment
from butler.store.tables import inbox


class InboxState(StrEnum):
    """The state of an item."""

    NEW = "new"
    DONE = "done"
    IGNORED = "ignored"
    QUARANTINED = "quarantined"


class InboxNote(StrEnum):
    """Why an item was settled, if its state does not say everything; never shown to anybody."""

    NONE = ""
    ASKED_ANEW = "asked_anew"
    """The server is asked for the mail again."""
    CAME_OTHERWISE = "came_otherwise"
    """The mail came in a second time, by another item."""
    HELD_BACK = "held_back"
    NO_CHANGE = "no_change"
    NO_LISTENER = "no_listener"
    NO_REPORT = "no_report"
    """It reports nothing of a mail that Butler sent."""
    NOT_FROM_OWNER = "not_from_owner"
    OWN_MAIL = "own_mail"
    """Butler itself wrote it."""
    PART = "part"
    """It is a part of the message before it."""
    PIN = "pin"
    READ_ANEW = "read_anew"
    """It was read again, into another item."""
    TAPPED_BEFORE = "tapped_before"
    TOO_MANY_CODES = "too_many_codes"
    """Too many wrong codes came in on one day."""
    UNTOLD = "untold"
    """Nobody could be told about it; it is looked at again once somebody can."""


_KNOWN = sa.select(inbox.c.seq).where(inbox.c.dedup_key == sa.bindparam("key"))
_ADD = inbox.insert()
_ITEM = sa.select(inbox.c["item"], inbox.c.state).where(inbox.c.inbound_id == sa.bindparam("id"))
_STATE = sa.select(inbox.c.state).where(inbox.c.inbound_id == sa.bindparam("id"))
_DETAIL = sa.select(inbox.c.detail).where(inbox.c.inbound_id == sa.bindparam("id"))
_VERDICT = sa.select(inbox.c.guard).where(inbox.c.inbound_id == sa.bindparam("id"))
_LOOKED_THROUGH = 1_000
_SETTLE = inbox.update().where(inbox.c.inbound_id == sa.bindparam("id"))


def add(connection: sa.Connection, item: Inbound) -> bool:
    """Store an item; return False if its de-duplication key is known."""
    if is_known(connection, item.dedup_key):
        return False
    row = {
        "inbound_id": item.inbound_id,
        "dedup_key": item.dedup_key,
        "kind": item.kind.value,
        "channel": item.channel,
        "identity": item.identity.value,
        "account": item.account,
        "chat": item.chat,
        "sender": item.sender,
        "message_ref": item.message_ref,
        "received_at": item.received_at,
        "item": item.model_dump(mode="json"),
        "state": InboxState.NEW.value,
    }
    connection.execute(_ADD, row)
    return True


def get(connection: sa.Connection, inbound_id: str) -> tuple[Inbound, InboxState] | None:
    """Return one item and its state."""
    row = connection.execute(_ITEM, {"id": inbound_id}).first()
    return None if row is None else (Inbound.model_validate(row[0]), InboxState(row[1]))


def state(connection: sa.Connection, inbound_id: str) -> InboxState | None:
    """Return the state of an item; None if there is no such item."""
    found = connection.execute(_STATE, {"id": inbound_id}).scalar()
    return None if found is None else InboxState(found)


def any_new(connection: sa.Connection, chat: str) -> bool:
    """Return whether an item of a chat has not been handled."""
    new = (inbox.c.chat == chat) & (inbox.c.state == InboxState.NEW.value)
    return connection.execute(sa.select(sa.exists().where(new))).scalar_one()


def detail(connection: sa.Connection, inbound_id: str) -> str:
    """Return the detail stored when an item was settled."""
    return connection.execute(_DETAIL, {"id": inbound_id}).scalar() or ""


def amend(connection: sa.Connection, item: Inbound) -> None:
    """Replace an item with a version to which findings were added."""
    row = {"id": item.inbound_id, "item": item.model_dump(mode="json")}
    connection.execute(inbox.update().where(inbox.c.inbound_id == sa.bindparam("id")), row)


def settle(
    connection: sa.Connection,
    inbound_id: str,
    state: InboxState,
    *,
    now: datetime,
    detail: InboxNote | Sequence[Reason] = InboxNote.NONE,
) -> None:
    """Store the outcome of an item, with a note or with reasons that somebody is shown."""
    text = detail.value if isinstance(detail, InboxNote) else reasons_to_text(detail)
    connection.execute(_SETTLE, {"id": inbound_id, "state": state.value, "handled_at": now, "detail": text})


def judge(connection: sa.Connection, inbound_id: str, verdict: dict[str, Any]) -> None:
    """Store the guardrails' verdict on an item."""
    connection.execute(_SETTLE, {"id": inbound_id, "guard": verdict})


def verdict(connection: sa.Connection, inbound_id: str) -> dict[str, Any] | None:
    """Return the guardrails' verdict on an item; None if it was not checked."""
    return connection.execute(_VERDICT, {"id": inbound_id}).scalar()


def look_again(connection: sa.Connection, detail: InboxNote, since: datetime, limit: int) -> list[Inbound]:
    """Return items since then that were ignored for this reason, the oldest first, and mark them as new again."""
    where = (inbox.c.state == InboxState.IGNORED.value, inbox.c.detail == detail, inbox.c.received_at >= since)
    rows = connection.execute(sa.select(inbox.c["item"]).where(*where).order_by(inbox.c.seq.desc()).limit(limit))
    found = [Inbound.model_validate(row[0]) for row in rows][::-1]
    ids = [item.inbound_id for item in found]
    connection.execute(inbox.update().where(inbox.c.inbound_id.in_(ids)).values(state=InboxState.NEW.value, detail=""))
    return found


def recent(
    connection: sa.Connection, *, channel: str, identity: str, chat: str | None = None, limit: int = 50
) -> list[Inbound]:
    """Return the newest items, the newest first."""
    query = sa.select(inbox.c["item"]).where(inbox.c.channel == channel, inbox.c.identity == identity)
    if chat is not None:
        query = query.where(inbox.c.chat == chat)
    rows = connection.execute(query.order_by(inbox.c.seq.desc()).limit(limit))
    return [Inbound.model_validate(row[0]) for row in rows]


def by_message(connection: sa.Connection, chat: str, message_ref: str) -> list[Inbound]:
    """Return what is stored of one message of a chat, oldest first: the message itself and its edits."""
    rows = connection.execute(
        sa.select(inbox.c["item"]).where(inbox.c.chat == chat, inbox.c.message_ref == message_ref).order_by(inbox.c.seq)
    )
    return [Inbound.model_validate(row[0]) for row in rows]


def files(connection: sa.Connection, digests: Collection[str]) -> list[Attachment]:
    """Return the files of these digests as they came in, by any channel, among the last thousand items."""
    rows = connection.execute(sa.select(inbox.c["item"]).order_by(inbox.c.seq.desc()).limit(_LOOKED_THROUGH))
    sent = (one for (item,) in rows for one in item.get("attachments") or () if one.get("sha256") in digests)
    return [Attachment.model_validate(one) for one in {one["sha256"]: one for one in sent}.values()]


def mails_of(connection: sa.Connection, message_ref: str) -> list[Inbound]:
    """Return the butler's mails with a Message-ID, oldest first; anybody may have copied another mail's."""
    where = (inbox.c.channel == "email", inbox.c.identity == "bot", inbox.c.message_ref == message_ref)
    rows = connection.execute(sa.select(inbox.c["item"]).where(*where).order_by(inbox.c.seq))
    return [Inbound.model_validate(row[0]) for row in rows]


def raws(connection: sa.Connection, *, channel: str, identity: str, account: str) -> frozenset[str]:
    """Return the digests of all raw messages of a channel; scans all of them."""
    # Not by the database's own JSON: PostgreSQL's accepts no text that holds a NUL or a lone surrogate.
    query = sa.select(inbox.c["item"]).where(*_of(channel, identity, account))
    found = (item["payload"].get("raw", "") for (item,) in connection.execute(query.execution_options(yield_per=200)))
    return frozenset(filter(None, found))


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """A quarantined item with its reason."""

    item: Inbound
    why: tuple[Reason, ...]


def quarantined(connection: sa.Connection, *, channel: str, beginning: str = "") -> list[DeadLetter]:
    """Return the quarantined items of a channel whose id has this prefix, the oldest first."""
    query = sa.select(inbox.c["item"], inbox.c.detail).where(
        inbox.c.channel == channel,
        inbox.c.state == InboxState.QUARANTINED.value,
        inbox.c.inbound_id.startswith(beginning, autoescape=True),
    )
    found = [(Inbound.model_validate(item), str(why)) for item, why in connection.execute(query.order_by(inbox.c.seq))]
    # A mail that could not be read says why itself.
    return [
        DeadLetter(item, reasons_of_text(why) or load_reasons(item.payload.get("quarantine") or ()))
        for item, why in found
    ]


def is_known(connection: sa.Connection, dedup_key: str) -> bool:
    """Return whether something came in under this key."""
    return connection.execute(_KNOWN, {"key": dedup_key}).first() is not None


def handled(connection: sa.Connection, *, channel: str, identity: str, account: str, limit: int) -> list[Inbound]:
    """Return handled items that are not filed yet, the oldest first; none that is ignored or quarantined."""
    query = sa.select(inbox.c["item"]).where(
        *_of(channel, identity, account),
        inbox.c.state == InboxState.DONE.value,
        inbox.c.filed_at.is_(None),
    )
    return [Inbound.model_validate(row[0]) for row in connection.execute(query.order_by(inbox.c.seq).limit(limit))]


def _of(channel: str, identity: str, account: str) -> tuple[sa.ColumnElement[bool], ...]:
    return inbox.c.channel == channel, inbox.c.identity == identity, inbox.c.account == account


def note_filed(connection: sa.Connection, inbound_ids: Sequence[str], now: datetime) -> None:
    """Note that these items were filed at their source."""
    connection.execute(inbox.update().where(inbox.c.inbound_id.in_(inbound_ids)).values(filed_at=now))


def rename_chat(connection: sa.Connection, old: str, new: str) -> None:
    """Move a group's items to its supergroup id."""
    connection.execute(inbox.update().where(inbox.c.chat == old).values(chat=new))
