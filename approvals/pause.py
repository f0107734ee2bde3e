"""The panic switch: while acts in the owner's name are paused, none is begun, whoever approved it and when."""

from datetime import datetime

import sqlalchemy as sa

from butler.contract.names import Identity
from butler.store.queries import cursors

PAUSED = "paused_user"
"""The fact that says since when, and by whom."""


def is_paused(connection: sa.Connection, identity: str) -> bool:
    """Whether outputs of this identity are stopped."""
    return identity == Identity.USER and cursors.fact(connection, PAUSED) is not None


def set_paused(connection: sa.Connection, by: str, now: datetime) -> None:
    """Stop them."""
    cursors.put_fact(connection, PAUSED, {"by": by, "at": now.isoformat()}, now)


def lift(connection: sa.Connection, now: datetime) -> None:
    """Let them go on."""
    cursors.put_fact(connection, PAUSED, None, now)
