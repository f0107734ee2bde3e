"""Waiting cards about many items: finds the one that words without a reply refer to, and withdraws a replaced one."""

from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from approvals.context import Context
from approvals.preview import is_listed
from approvals.states import State
from approvals.transition import transition
from butler.contract.reasons import Reason
from butler.store.queries import approvals, revisions


@dataclass(frozen=True, slots=True)
class WaitingBulkCard:
    """A card about items that were listed for it, and when it was last sent or changed."""

    approval_id: str
    revision: int
    at: datetime


def newest_listed(context: Context, connection: sa.Connection, chat: str) -> WaitingBulkCard | None:
    """Return the most recently requested such card in a chat."""
    rows = [row for row in approvals.in_state(connection, State.PENDING) if row.chat == chat]
    listed = [row for row in rows if is_listed(context.invoker, row.tool)]
    if not listed:
        return None
    row = max(listed, key=lambda one: one.created_at)
    before = revisions.get(connection, row.approval_id, row.revision - 1)
    return WaitingBulkCard(row.approval_id, row.revision, before.replaced_at if before else row.created_at)


def give_way(connection: sa.Connection, approval_id: str, revision: int, why: Reason, now: datetime) -> bool:
    """Withdraw a card that another one replaces; return False if it was decided or changed meanwhile."""
    row = approvals.get(connection, approval_id)
    if row is None or row.state != State.PENDING or row.revision != revision:
        return False
    return transition(connection, row, State.SUPERSEDED, actor="butler", now=now, detail=(why,)) is not None
