"""Batch cards as rows: which approvals share one, which of them it shows, and which were shown in full.

The members of a batch are the approvals that name it; they stay its members once decided.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Self, TypedDict, Unpack

import sqlalchemy as sa

from butler.store.queries.approvals import ApprovalRow, CardRef, dump_refs, load_refs
from butler.store.tables import approval_batches, approvals

SHOW_BATCH = "show_batch"
_PENDING = approvals.c.state == "pending"


class ApprovalBatchState(StrEnum):
    """Whether any of its approvals waits; only an open batch accepts more."""

    OPEN = "open"
    CLOSED = "closed"


@dataclass(frozen=True, slots=True)
class ApprovalBatchRow:
    """A batch card. Its buttons are bound to `revision`; `card_refs` hold the `version` that each message shows."""

    batch_id: str
    chat: str
    tool: str
    risk: str
    created_at: datetime
    revision: int = 1
    version: int = 1
    state: str = ApprovalBatchState.OPEN
    showing: str = ""
    """The approval that is displayed, or will be next."""
    seen: Mapping[str, int] = field(default_factory=dict[str, int])
    """Maps an approval to the revision that was shown in full."""
    card_refs: tuple[CardRef, ...] = ()

    @classmethod
    def of(cls, row: sa.RowMapping) -> Self:
        values = dict(row)
        values["card_refs"] = load_refs(values["card_refs"])
        return cls(**values)


class ApprovalBatchChanges(TypedDict, total=False):
    """The columns that may be set."""

    revision: int
    version: int
    state: str
    showing: str
    seen: Mapping[str, int]
    card_refs: Iterable[CardRef]


def insert(connection: sa.Connection, row: ApprovalBatchRow) -> None:
    """Store a new batch."""
    values = {column.name: getattr(row, column.name) for column in approval_batches.columns}
    connection.execute(approval_batches.insert().values({**values, "card_refs": dump_refs(row.card_refs)}))


def get(connection: sa.Connection, batch_id: str) -> ApprovalBatchRow | None:
    """Return one batch."""
    row = (
        connection.execute(sa.select(approval_batches).where(approval_batches.c.batch_id == batch_id))
        .mappings()
        .first()
    )
    return None if row is None else ApprovalBatchRow.of(row)


def open_for(connection: sa.Connection, chat: str, row: ApprovalRow, *, most: int) -> ApprovalBatchRow | None:
    """Return the oldest batch here for the same tool and account in which fewer than `most` approvals wait."""
    same = (
        (approval_batches.c.chat == chat)
        & (approval_batches.c.tool == row.tool)
        & (approval_batches.c.risk == row.risk)
    )
    member = (approvals.c.batch_id == approval_batches.c.batch_id) & (approvals.c.account == row.account)
    found = _many(connection, same & (approval_batches.c.state == ApprovalBatchState.OPEN) & sa.exists().where(member))
    return next((batch for batch in found if count_waiting(connection, batch.batch_id) < most), None)


def all_open(connection: sa.Connection) -> list[ApprovalBatchRow]:
    """Return the batches with waiting approvals, oldest first."""
    return _many(connection, approval_batches.c.state == ApprovalBatchState.OPEN)


def change(connection: sa.Connection, batch_id: str, **changes: Unpack[ApprovalBatchChanges]) -> None:
    """Set some columns."""
    values = dict(changes)
    if "card_refs" in changes:
        values["card_refs"] = dump_refs(changes["card_refs"])
    connection.execute(approval_batches.update().where(approval_batches.c.batch_id == batch_id).values(values))


def rename_chat(connection: sa.Connection, old: str, new: str) -> None:
    """Move a group's batches to its supergroup id; forget their messages, which stay in the old chat."""
    connection.execute(approval_batches.update().where(approval_batches.c.chat == old).values(chat=new, card_refs=[]))


def set_batch(connection: sa.Connection, approval_id: str, batch_id: str | None) -> None:
    """Make an approval a member of a batch, or of none."""
    connection.execute(approvals.update().where(approvals.c.approval_id == approval_id).values(batch_id=batch_id))


def members(connection: sa.Connection, batch_id: str) -> list[ApprovalRow]:
    """Return the members of a batch, oldest first."""
    query = sa.select(approvals).where(approvals.c.batch_id == batch_id)
    rows = connection.execute(query.order_by(approvals.c.created_at, approvals.c.approval_id))
    return [ApprovalRow.of(row) for row in rows]


def count_waiting(connection: sa.Connection, batch_id: str) -> int:
    """Count the waiting members of a batch."""
    query = sa.select(sa.func.count()).select_from(approvals).where(_PENDING, approvals.c.batch_id == batch_id)
    return int(connection.execute(query).scalar_one())


def has_any_of(connection: sa.Connection, batch_id: str, inbound_id: str) -> bool:
    """Return whether this inbound item asked for a member of a batch."""
    where = (approvals.c.batch_id == batch_id) & (approvals.c.requested_by == inbound_id)
    return connection.execute(sa.select(approvals.c.approval_id).where(where).limit(1)).first() is not None


def count_shown(connection: sa.Connection, chats: Iterable[str], row: ApprovalRow) -> int:
    """Count waiting approvals like this one, by the same account, in these chats, on own cards or in a batch."""
    like = (approvals.c.tool == row.tool) & (approvals.c.risk == row.risk) & (approvals.c.account == row.account)
    query = sa.select(approvals.c.batch_id, approvals.c.card_refs).where(
        _PENDING, approvals.c.chat.in_(tuple(chats)), like
    )
    return sum(1 for batch_id, refs in connection.execute(query) if batch_id is not None or refs)


def _many(connection: sa.Connection, where: sa.ColumnElement[bool]) -> list[ApprovalBatchRow]:
    query = (
        sa.select(approval_batches).where(where).order_by(approval_batches.c.created_at, approval_batches.c.batch_id)
    )
    return [ApprovalBatchRow.of(row) for row in connection.execute(query).mappings()]
