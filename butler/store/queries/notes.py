"""Notes that the owner asked to keep."""

import uuid
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

import sqlalchemy as sa

from butler.contract.ports import Note
from butler.contract.provenance import Origin
from butler.store.tables import notes


def add_note(
    connection: sa.Connection, call_id: str, text: str, now: datetime, origins: frozenset[Origin] = frozenset()
) -> Note:
    """Store a note; return the existing one if this call was made before."""
    row = connection.execute(sa.select(notes).where(notes.c.call_id == call_id)).mappings().first()
    if row is None:
        labels = dump_labels(origins)
        note = Note(note_id=uuid.uuid4().hex, text=text, created_at=now, origins=load_labels(labels))
        connection.execute(
            notes.insert().values(note_id=note.note_id, call_id=call_id, text=text, labels=labels, created_at=now)
        )
        return note
    return _note(row)


def change_note(
    connection: sa.Connection, note_id: str, text: str, now: datetime, origins: frozenset[Origin] = frozenset()
) -> Note | None:
    """Replace the text of a note; return None if there is none. It counts as new, so memory takes it over again."""
    labels = dump_labels(origins)
    changed = notes.update().where(notes.c.note_id == note_id).values(text=text, labels=labels, created_at=now)
    row = connection.execute(changed.returning(*notes.columns)).mappings().first()
    return None if row is None else _note(row)


def search_notes(connection: sa.Connection, words: Sequence[str], limit: int) -> list[Note]:
    """Return notes that hold all words, ignoring case; the newest first."""
    found: list[Note] = []
    for row in connection.execute(sa.select(notes).order_by(notes.c.created_at.desc())).mappings():
        # Python folds the case of every script; the databases do not.
        if all(word.casefold() in row["text"].casefold() for word in words):
            found.append(_note(row))
            if len(found) == limit:
                break
    return found


def _note(row: sa.RowMapping) -> Note:
    origins = load_labels(row["labels"])
    return Note(note_id=row["note_id"], text=row["text"], created_at=row["created_at"], origins=origins)


def dump_labels(origins: frozenset[Origin]) -> list[dict[str, Any]]:
    return [one.model_dump(mode="json") for one in sorted(origins, key=lambda one: (one.trust, one.source))]


def load_labels(labels: Iterable[Mapping[str, Any]]) -> tuple[Origin, ...]:
    return tuple(map(Origin.model_validate, labels))
