"""Records of tool runs that a gate refused."""

from collections.abc import Sequence

import sqlalchemy as sa

from butler.contract.adapters import RunRecord
from butler.store.tables import run_records

_NEWEST = sa.select(run_records).order_by(run_records.c.at.desc(), run_records.c.run_id.desc())


def add(connection: sa.Connection, record: RunRecord) -> None:
    """Store a record."""
    connection.execute(run_records.insert(), record.model_dump())


def newest(connection: sa.Connection, limit: int) -> Sequence[RunRecord]:
    """Return the newest records, the newest first."""
    rows = connection.execute(_NEWEST.limit(limit)).mappings()
    return [RunRecord.model_validate(dict(row)) for row in rows]
