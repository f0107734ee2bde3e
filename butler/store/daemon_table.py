"""The table of daemons that have served this data; included in `butler.store.tables`."""

import sqlalchemy as sa

from butler.store.instants import Instant
from butler.store.schema import BigId, metadata

daemons = sa.Table(
    "daemons",
    metadata,
    sa.Column("epoch", BigId, primary_key=True, autoincrement=True),
    sa.Column("token", sa.Text, nullable=False),  # distinguishes it from one of the same number in a restored backup
    sa.Column("place", sa.Text, nullable=False),  # the lock file that it held, empty for none
    sa.Column("process", sa.Integer, nullable=False),
    sa.Column("started_at", Instant, nullable=False),
    sqlite_autoincrement=True,  # numbers are never reused
)
