"""The lookups for the preparation of a meeting."""

from collections.abc import Sequence

import sqlalchemy as sa

from butler.contract.mirror import SeenMessage
from butler.store.tables import seen_messages

_LOOKED_THROUGH = 2_000
"""The number of others' newest messages that are searched."""


def last_of(connection: sa.Connection, addresses: Sequence[str], limit: int) -> list[SeenMessage]:
    """Return the newest message of each of these people in the owner's accounts, the newest first."""
    table = seen_messages.c
    sender = table["item"]["sender"].as_string()
    where = (table.removed_at.is_(None), table.outgoing.is_(False), sender.in_(list(addresses)))
    query = sa.select(table["item"]).where(*where).order_by(table["at"].desc()).limit(_LOOKED_THROUGH)
    newest: dict[str, SeenMessage] = {}
    for item in connection.execute(query).scalars():
        if len(newest) == limit:
            break
        message = SeenMessage.model_validate(item)
        newest.setdefault(f"{message.channel}:{message.sender}", message)
    return list(newest.values())
