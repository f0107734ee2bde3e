"""The fired times. The key of a row ensures that nothing fires twice."""

from datetime import datetime
from enum import StrEnum
from functools import cache

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.sql.dml import ReturningInsert

from butler.store.tables import firings


class FiringKind(StrEnum):
    """The kind of thing with due times."""

    REMINDER = "reminder"
    DIGEST = "digest"
    AUTOMATION = "automation"
    MEETING = "meeting"
    WAIT = "wait"


class FiringNote(StrEnum):
    """What was special about a firing; never shown to anybody."""

    NONE = ""
    NEXT_IS_NEAR = "next_is_near"
    """A missed digest that was skipped, because the next one comes soon."""
    MISSED = "missed"
    """A digest that was missed for too long."""
    UNPROVED = "unproved"
    """It reports a mail whose sender is unproved."""


@cache
def _add(dialect: str) -> ReturningInsert[tuple[str]]:
    insert = postgresql.insert(firings) if dialect == "postgresql" else sqlite.insert(firings)
    # Another daemon on this store may write the same key meanwhile: wait for it, then write nothing.
    return insert.on_conflict_do_nothing(index_elements=["kind", "subject", "due_at"]).returning(firings.c.subject)


def fire(
    connection: sa.Connection,
    kind: FiringKind,
    subject: str,
    due_at: datetime,
    now: datetime,
    *,
    message_id: str | None = None,
    note: FiringNote = FiringNote.NONE,
) -> bool:
    """Mark a time as fired, in the transaction that acts on it; return False if it already was."""
    values = {
        "kind": kind.value,
        "subject": subject,
        "due_at": due_at,
        "fired_at": now,
        "message_id": message_id,
        "note": note.value,
    }
    return connection.execute(_add(connection.dialect.name), values).first() is not None


def says(connection: sa.Connection, kind: FiringKind, subject: str, due_at: datetime, message_id: str | None) -> None:
    """Note which outbox message reports a firing."""
    this = (firings.c.kind == kind.value, firings.c.subject == subject, firings.c.due_at == due_at)
    connection.execute(firings.update().where(*this).values(message_id=message_id))


def subject_of(connection: sa.Connection, kind: FiringKind, message_id: str) -> str | None:
    """Return the subject that an outbox message reports; None if it reports no firing."""
    query = sa.select(firings.c.subject).where(firings.c.message_id == message_id, firings.c.kind == kind.value)
    return connection.execute(query.limit(1)).scalar()


def last(connection: sa.Connection, kind: FiringKind, subject: str) -> datetime | None:
    """Return the latest fired time."""
    query = sa.select(sa.func.max(firings.c.due_at)).where(firings.c.kind == kind.value, firings.c.subject == subject)
    return connection.execute(query).scalar()


def noted_since(connection: sa.Connection, kind: FiringKind, subject: str, note: FiringNote, since: datetime) -> bool:
    """Return whether something was fired with this note since a moment."""
    ours = (firings.c.kind == kind.value, firings.c.subject == subject, firings.c.note == note.value)
    query = sa.select(firings.c.due_at).where(*ours, firings.c.fired_at >= since).limit(1)
    return connection.execute(query).first() is not None


def count(connection: sa.Connection, kind: FiringKind, subject: str) -> int:
    """Count the firings."""
    query = sa.select(sa.func.count()).where(firings.c.kind == kind.value, firings.c.subject == subject)
    return int(connection.execute(query).scalar_one())


def ahead(connection: sa.Connection, kind: FiringKind, now: datetime) -> list[str]:
    """Return firings later than now, which reveal that the clock was or is wrong."""
    query = sa.select(firings.c.subject).where(firings.c.fired_at > now, firings.c.kind == kind.value).distinct()
    return list(connection.execute(query).scalars())
