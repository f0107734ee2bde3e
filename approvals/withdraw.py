"""Withdraws what had no effect: pending cards, approved acts, and attempts that wait to be repeated."""

from collections.abc import Iterable
from datetime import datetime

import sqlalchemy as sa

from approvals.attempts import gave_up
from approvals.states import State
from approvals.transition import transition
from butler.contract.reasons import Reason
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow


def withdraw(connection: sa.Connection, rows: Iterable[ApprovalRow], why: Reason, *, actor: str, now: datetime) -> int:
    """Cancel those rows that certainly had no effect; return their number. The others stay as they are."""
    return sum(_withdrawn(connection, row, why, actor, now) is not None for row in rows)


def _withdrawn(
    connection: sa.Connection, row: ApprovalRow, why: Reason, actor: str, now: datetime
) -> ApprovalRow | None:
    if row.state in {State.PENDING, State.APPROVED}:
        return transition(connection, row, State.CANCELLED, actor=actor, now=now, detail=(why,))
    last = approvals.last_attempt(connection, row.approval_id)
    if row.state != State.EXECUTING or last is None or last.outcome is None:
        return None
    if approvals.was_repeated(connection, row.approval_id):
        # An earlier try may have had an effect: the executor checks the holds, and reports them.
        return None
    # The last try had no effect, and the next one has not begun.
    end = gave_up(why)
    return transition(connection, row, State.FAILED, actor=actor, now=now, detail=end.detail, result=end.result)
