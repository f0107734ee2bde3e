"""The progress message of a plan, and whether anything was said in its chat since."""

import sqlalchemy as sa

from butler.store.tables import outbox

_KEY = sa.select(outbox.c.message_id).where(outbox.c.dedup_key == sa.bindparam("key"))


def key_of(plan_id: str) -> str:
    """Return the outbox key of a plan's progress message."""
    return f"progress:{plan_id}"


def message_of(connection: sa.Connection, plan_id: str) -> str | None:
    """Return the id of a plan's progress message; None if none was needed."""
    return connection.execute(_KEY, {"key": key_of(plan_id)}).scalar()


def is_last(connection: sa.Connection, chat: str, message_id: str) -> bool:
    """Return whether no message was queued for this chat after a message."""
    at = sa.select(outbox.c.created_at).where(outbox.c.message_id == message_id).scalar_subquery()
    later = sa.select(outbox.c.message_id).where(
        outbox.c.chat == chat, outbox.c.created_at >= at, outbox.c.message_id != message_id
    )
    return connection.execute(later.limit(1)).first() is None
