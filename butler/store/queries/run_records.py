"""Records of tool runs that a gate refused."""

from collections.abc import Sequence
from enum import StrEnum

import sqlalchemy as sa
from pydantic import AwareDatetime

from butler.contract.records import Record
from butler.store.tables import run_records


class RunStatus(StrEnum):
    """The status of a tool run; only errors are stored, as the log of provider calls has what ran."""

    ERROR = "ERROR"


class RunRecord(Record):
    """The record of a tool that a gate refused, at registration or before a call."""

    run_id: str
    at: AwareDatetime
    status: RunStatus = RunStatus.ERROR
    tool: str
    adapter_id: str = ""
    adapter_operation: str = ""
    adapter_contract_version: str = ""
    gate: str
    message: str
    trace_id: str = ""
    """The trace id of the refused call; empty at registration."""


_NEWEST = sa.select(run_records).order_by(run_records.c.at.desc(), run_records.c.run_id.desc())


def add(connection: sa.Connection, record: RunRecord) -> None:
    """Store a record."""
    connection.execute(run_records.insert(), record.model_dump())


def newest(connection: sa.Connection, limit: int) -> Sequence[RunRecord]:
    """Return the newest records, the newest first."""
    rows = connection.execute(_NEWEST.limit(limit)).mappings()
    return [RunRecord.model_validate(dict(row)) for row in rows]
