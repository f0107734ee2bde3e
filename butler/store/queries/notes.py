"""Notes and reminders: what the owner asked to have kept, and to be told of."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.contract.ports import Note, Reminder
from butler.contract.provenance import Origin
from butler.store.queries import work
from butler.store.tables import notes, reminders

REMIND = "remind"


def add_note(
    connection: sa.Connection, call_id: str, text: str, now: datetime, origins: frozenset[Origin] = frozenset()
) -> Note:
    """Keep a note; the one that stands, when this call was made before."""
    row = connection.execute(sa.select(notes).where(notes.c.call_id == call_id)).mappings().first()
    if row is None:
        labels = _labels(origins)
        note = Note(note_id=uuid.uuid4().hex, text=text, created_at=now, origins=_origins(labels))
        connection.execute(
            notes.insert().values(note_id=note.note_id, call_id=call_id, text=text, labels=labels, created_at=now)
        )
        return note
    return _note(row)


def search_notes(connection: sa.Connection, words: Sequence[str], limit: int) -> list[Note]:
    """Notes that hold all words, whatever their case; the newest first."""
    found: list[Note] = []
    for row in connection.execute(sa.select(notes).order_by(notes.c.created_at.desc())).mappings():
        # Case folding of every script is Python's, not the databases'.
        if all(word.casefold() in row["text"].casefold() for word in words):
            found.append(_note(row))
            if len(found) == limit:
                break
    return found


def add_reminder(
    connection: sa.Connection,
    call_id: str,
    text: str,
    *,
    zone: str,
    local_time: datetime,
    due_at: datetime,
    now: datetime,
    origins: frozenset[Origin] = frozenset(),
) -> Reminder:
    """Keep a reminder and the work row that fires it; the one that stands, when this call was made before."""
    row = connection.execute(sa.select(reminders).where(reminders.c.call_id == call_id)).mappings().first()
    if row is not None:
        return _reminder(row)
    labels = _labels(origins)
    reminder = Reminder(
        reminder_id=uuid.uuid4().hex,
        text=text,
        zone=zone,
        local_time=local_time,
        due_at=due_at,
        state="waiting",
        origins=_origins(labels),
    )
    values = reminder.model_dump(exclude={"origins"}) | {"local_time": local_time.isoformat(), "labels": labels}
    values |= {"call_id": call_id, "created_at": now}
    connection.execute(reminders.insert().values(**values))
    work.add(connection, REMIND, reminder.reminder_id, now=now, run_at=due_at)
    return reminder


def waiting_reminders(connection: sa.Connection, limit: int) -> list[Reminder]:
    """What is still to come, the next first."""
    rows = connection.execute(
        sa.select(reminders).where(reminders.c.state == "waiting").order_by(reminders.c.due_at).limit(limit)
    )
    return [_reminder(row) for row in rows.mappings()]


def fire_reminder(connection: sa.Connection, reminder_id: str) -> Reminder | None:
    """Take a waiting reminder as said; None when it was said or taken back before."""
    row = (
        connection.execute(
            sa.select(reminders).where(reminders.c.reminder_id == reminder_id, reminders.c.state == "waiting")
        )
        .mappings()
        .first()
    )
    if row is None:
        return None
    connection.execute(reminders.update().where(reminders.c.reminder_id == reminder_id).values(state="said"))
    return _reminder(row)


def _note(row: sa.RowMapping) -> Note:
    origins = _origins(row["labels"])
    return Note(note_id=row["note_id"], text=row["text"], created_at=row["created_at"], origins=origins)


def _reminder(row: sa.RowMapping) -> Reminder:
    return Reminder(
        reminder_id=row["reminder_id"],
        text=row["text"],
        zone=row["zone"],
        local_time=datetime.fromisoformat(row["local_time"]),
        due_at=row["due_at"],
        state=row["state"],
        origins=_origins(row["labels"] or ()),
    )


def _labels(origins: frozenset[Origin]) -> list[dict[str, Any]]:
    return [one.model_dump(mode="json") for one in sorted(origins, key=lambda one: (one.trust, one.source))]


def _origins(labels: Iterable[Mapping[str, Any]]) -> tuple[Origin, ...]:
    return tuple(map(Origin.model_validate, labels))
