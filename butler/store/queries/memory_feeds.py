"""Finds what memory still has to take over: each feed is read from its cursor on."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Final

import sqlalchemy as sa

from butler.contract.inbound import Inbound
from butler.contract.mirror import ChatKind, SeenChat, SeenMessage
from butler.contract.names import Identity
from butler.contract.ports import Note
from butler.store.instants import EPOCH
from butler.store.queries import cursors, mirror
from butler.store.queries.inbox import InboxState
from butler.store.tables import inbox, notes, seen_messages

MAIL_CHANNEL = "email"
FEEDS: Final = "memory:"
"""The prefix of the feeds' cursors."""
NOTES: Final = FEEDS + "notes"
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Seen:
    """A message of the owner's accounts that was stored, changed or removed; `cursor` points after it."""

    message: SeenMessage
    removed: bool
    cursor: str


def seen(connection: sa.Connection, cursor: str, *, mails: bool, until: datetime, limit: int) -> list[Seen]:
    """Return message changes after the cursor and before `until`, oldest first: of mails, or of chats."""
    table = seen_messages.c
    at, seq = _stands(cursor)
    query = (
        sa.select(table["item"], table.removed_at, table.changed_at, table.seq)
        .where(
            sa.or_(table.changed_at > at, sa.and_(table.changed_at == at, table.seq > seq)),
            table.changed_at <= until,
            (table.channel == MAIL_CHANNEL) if mails else (table.channel != MAIL_CHANNEL),
        )
        .order_by(table.changed_at, table.seq)
        .limit(limit)
    )
    return [
        Seen(SeenMessage.model_validate(item), removed is not None, _cursor(changed, seq))
        for item, removed, changed, seq in connection.execute(query)
    ]


def day_of_chat(
    connection: sa.Connection, of: SeenMessage, begins: datetime, ends: datetime
) -> tuple[SeenChat | None, list[SeenMessage]]:
    """Return a message's chat, and all messages in it during that time, in order."""
    table = seen_messages.c
    query = (
        sa.select(table["item"])
        .where(
            table.channel == of.channel,
            table.account == of.account,
            table.chat == of.chat,
            table["at"] >= begins,
            table["at"] < ends,
            table.removed_at.is_(None),
        )
        .order_by(table["at"], table.order)
    )
    chat = mirror.chat(connection, of.channel, of.account, of.chat)
    if chat is not None and chat.kind is ChatKind.CHANNEL:
        return chat, []
    return chat, [SeenMessage.model_validate(item) for (item,) in connection.execute(query)]


def mails(connection: sa.Connection, cursor: str, limit: int) -> list[tuple[Inbound | None, str]]:
    """Return the butler's own mails after the cursor, each with the cursor after it.

    A quarantined mail is None. Stops before the first unchecked one.
    """
    after = int(cursor or 0)
    query = sa.select(inbox.c.seq, inbox.c["item"], inbox.c.state).where(
        inbox.c.seq > after,
        inbox.c.channel == MAIL_CHANNEL,
        inbox.c.identity == Identity.BOT.value,
        inbox.c.kind == "mail",
    )
    found: list[tuple[Inbound | None, str]] = []
    for seq, item, state in connection.execute(query.order_by(inbox.c.seq).limit(limit)):
        if state == InboxState.NEW.value:
            break
        aside = state == InboxState.QUARANTINED.value
        found.append((None if aside else Inbound.model_validate(item), str(seq)))
    return found


def owners_notes(connection: sa.Connection, cursor: str, *, until: datetime, limit: int) -> list[tuple[Note, str]]:
    """Return notes after the cursor and before `until`, oldest first, each with the cursor after it."""
    table = notes.c
    query = _notes_after(cursor).where(table.created_at <= until).order_by(table.created_at, table.note_id).limit(limit)
    return [(note, f"{_micros(note.created_at)} {note.note_id}") for note in map(_note, connection.execute(query))]


def notes_to_come(connection: sa.Connection, *, now: datetime, limit: int) -> list[Note]:
    """Return notes that their feed has not reached yet, the newest first."""
    cursor = cursors.get(connection, NOTES) or ""
    query = _notes_after("" if is_ahead(cursor, now) else cursor)
    query = query.order_by(notes.c.created_at.desc(), notes.c.note_id.desc()).limit(limit)
    return [_note(row) for row in connection.execute(query)]


def _notes_after(cursor: str) -> sa.Select[str, str, datetime, Any]:
    table = notes.c
    stamp, _, last = cursor.partition(" ")
    at = _instant(int(stamp or 0))
    return sa.select(table.note_id, table.text, table.created_at, table.labels).where(
        sa.or_(table.created_at > at, sa.and_(table.created_at == at, table.note_id > last))
    )


def _note(row: sa.Row[str, str, datetime, Any]) -> Note:
    note_id, text, created, labels = row
    return Note(note_id=note_id, text=text, created_at=created, origins=labels)


def is_ahead(cursor: str, now: datetime) -> bool:
    """Return whether a time cursor points to the future."""
    stamp, _, rest = cursor.partition(" ")
    return bool(rest) and _instant(int(stamp)) > now


def _stands(cursor: str) -> tuple[datetime, int]:
    stamp, _, seq = cursor.partition(" ")
    return _instant(int(stamp or 0)), int(seq or 0)


def _cursor(at: datetime, seq: int) -> str:
    return f"{_micros(at)} {seq}"


def _micros(at: datetime) -> int:
    return (at - EPOCH) // _MICROSECOND


def _instant(micros: int) -> datetime:
    return EPOCH + micros * _MICROSECOND
