"""The one message of a plan that shows how far it is, and whether anything was said in its chat since."""

import sqlalchemy as sa

from butler.store.tables import outbox

_KEY = sa.select(outbox.c.message_id).where(outbox.c.dedup_key == sa.bindparam("key"))


def key_of(plan_id: str) -> str:
    """The key under which a plan's progress stands in the outbox."""
    return f"progress:{plan_id}"


def message_of(connection: sa.Connection, plan_id: str) -> str | None:
    """The id of a plan's progress message; None where none was needed."""
    return connection.execute(_KEY, {"key": key_of(plan_id)}).scalar()


def is_last(connection: sa.Connection, chat: str, message_id: str) -> bool:
    """Whether nothing was put on its way to this chat after a message."""
    at = sa.select(outbox.c.created_at).where(outbox.c.message_id == message_id).scalar_subquery()
    later = sa.select(outbox.c.message_id).where(
        outbox.c.chat == chat, outbox.c.created_at >= at, outbox.c.message_id != message_id
    )
    return connection.execute(later.limit(1)).first() is None
