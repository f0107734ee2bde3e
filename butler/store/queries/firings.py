"""Which times of what were fired. The key of a row is why nothing is fired twice, whoever tries."""

from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from butler.store.tables import firings


class FiringKind(StrEnum):
    """What has times."""

    REMINDER = "reminder"
    DIGEST = "digest"
    AUTOMATION = "automation"
    MEETING = "meeting"
    WAIT = "wait"


_ADD = firings.insert()
_KNOWN = sa.select(firings.c.fired_at).where(
    firings.c.kind == sa.bindparam("kind"),
    firings.c.subject == sa.bindparam("subject"),
    firings.c.due_at == sa.bindparam("due_at", type_=firings.c.due_at.type),
)


def fire(
    connection: sa.Connection,
    kind: FiringKind,
    subject: str,
    due_at: datetime,
    now: datetime,
    *,
    message_id: str | None = None,
    detail: str = "",
) -> bool:
    """Take a time as fired, in the transaction with what is done about it; False where it was before."""
    key = {"kind": kind.value, "subject": subject, "due_at": due_at}
    if connection.execute(_KNOWN, key).first():
        return False
    connection.execute(_ADD, key | {"fired_at": now, "message_id": message_id, "detail": detail})
    return True


def last(connection: sa.Connection, kind: FiringKind, subject: str) -> datetime | None:
    """The latest time that was fired."""
    query = sa.select(sa.func.max(firings.c.due_at)).where(firings.c.kind == kind.value, firings.c.subject == subject)
    return connection.execute(query).scalar()


def count(connection: sa.Connection, kind: FiringKind, subject: str) -> int:
    """How many were."""
    query = sa.select(sa.func.count()).where(firings.c.kind == kind.value, firings.c.subject == subject)
    return int(connection.execute(query).scalar_one())


def prune(connection: sa.Connection, before: datetime) -> int:
    """Forget what was fired before a moment; how many were."""
    return connection.execute(firings.delete().where(firings.c.fired_at < before)).rowcount
