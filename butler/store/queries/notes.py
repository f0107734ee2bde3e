"""Notes: what the owner asked to have kept."""

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
    """Keep a note; the one that stands, when this call was made before."""
    row = connection.execute(sa.select(notes).where(notes.c.call_id == call_id)).mappings().first()
    if row is None:
        labels = dump_labels(origins)
        note = Note(note_id=uuid.uuid4().hex, text=text, created_at=now, origins=load_labels(labels))
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


def _note(row: sa.RowMapping) -> Note:
    origins = load_labels(row["labels"])
    return Note(note_id=row["note_id"], text=row["text"], created_at=row["created_at"], origins=origins)


def dump_labels(origins: frozenset[Origin]) -> list[dict[str, Any]]:
    return [one.model_dump(mode="json") for one in sorted(origins, key=lambda one: (one.trust, one.source))]


def load_labels(labels: Iterable[Mapping[str, Any]]) -> tuple[Origin, ...]:
    return tuple(map(Origin.model_validate, labels))
