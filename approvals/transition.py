"""The one way from state to state: a compare-and-set with its audit row and its work rows, in one transaction."""

from datetime import datetime
from typing import Unpack

import sqlalchemy as sa

from approvals.floods import member_changed
from approvals.states import TRANSITIONS, State
from butler.contract.errors import ContractViolationError
from butler.store.queries import approvals, audit, twins, work
from butler.store.queries.approvals import ApprovalRow, Changes
from butler.store.queries.plans import PLAN_STEP

_WHILE_PENDING = (approvals.EXPIRE, approvals.REMIND, twins.SEND_TWIN)
IN_FLIGHT = frozenset({State.PENDING, State.APPROVED, State.EXECUTING})


def transition(
    connection: sa.Connection, row: ApprovalRow, new: State, *, actor: str, now: datetime, **changes: Unpack[Changes]
) -> bool:
    """Move an approval on from the state that `row` shows; False when it has moved meanwhile.

    Raises `ContractViolationError` for a way that does not exist.
    """
    old = State(row.state)
    if new not in TRANSITIONS[old]:
        raise ContractViolationError(f"an approval cannot go from {old} to {new}")
    if new not in IN_FLIGHT:
        changes["finished_at"] = now
    if not approvals.move(connection, row.approval_id, row.revision, old, new, **changes):
        return False
    data = {"from": old.value, "to": new.value, "revision": row.revision, "detail": changes.get("detail", "")}
    audit.append(connection, f"approval.{new}", row.approval_id, actor, data, now)
    if old is State.PENDING:
        work.cancel_all(connection, _WHILE_PENDING, row.approval_id)
    if old is State.APPROVED and new is not State.EXECUTING:
        work.cancel(connection, approvals.EXECUTE, row.approval_id)
    if new not in IN_FLIGHT:
        twins.ended(connection, row.approval_id, now)
    redraw(connection, row, now=now)
    if row.plan_id is not None and new not in IN_FLIGHT:
        work.add(connection, PLAN_STEP, row.plan_id, now=now)
    return True


def redraw(connection: sa.Connection, row: ApprovalRow, *, now: datetime) -> None:
    """Have an approval drawn as it now stands, wherever it is shown, in its turn among the messages of its chat."""
    work.cancel(connection, approvals.SHOW_CARD, row.approval_id)
    if not member_changed(connection, row.approval_id, now):
        work.add(connection, approvals.SHOW_CARD, row.approval_id, now=now, lane=f"out:{row.chat}")
