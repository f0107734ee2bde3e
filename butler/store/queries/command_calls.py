"""Notes of the calls by which plans gave commands, so that none is given twice after a crash."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from butler.store.queries import cursors
from butler.store.tables import facts

PREFIX = "command_call:"
KEPT = timedelta(days=7)
"""How long a note is kept: no plan is repeated after that."""


def begin(connection: sa.Connection, call_id: str, now: datetime) -> bool:
    """Note that the command of a call is done in this transaction; return False if it was done before."""
    name = f"{PREFIX}{call_id}"
    if cursors.fact(connection, name) is not None:
        return False
    old = facts.c.name.startswith(PREFIX, autoescape=True) & (facts.c.updated_at < now - KEPT)
    connection.execute(facts.delete().where(old))
    cursors.put_fact(connection, name, True, now)
    return True
