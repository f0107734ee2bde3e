"""What a backup held back: acts that were waiting or under way when it was taken, and may have ended since.

A restore leaves a mark in the rows it brings back. At the next start nothing of that is done by itself, because it
may have been done already; the owner is told, and decides.
"""

from dataclasses import replace
from datetime import datetime

import sqlalchemy as sa

from approvals.attempts import AttemptOutcome
from approvals.states import State
from approvals.transition import redraw, transition
from butler.store.queries import approvals, cursors
from butler.store.queries.approvals import ApprovalRow

LOOK_FIRST = "Butler was restored from a backup since. Look whether this was done already before you approve it."
CUT_OFF = "Butler was restored from a backup that was taken before this had ended."


def settle_restored(connection: sa.Connection, now: datetime) -> int:
    """Take the mark away, and settle what a restore brought back; how many approvals that were."""
    cursors.put_fact(connection, cursors.RESTORED, None, now)
    waiting = approvals.in_state(connection, State.PENDING)
    for row in waiting:
        if approvals.warn(connection, row.approval_id, LOOK_FIRST):
            redraw(connection, row, now=now)
    under_way = approvals.in_state(connection, State.APPROVED, State.EXECUTING)
    for row in under_way:
        _leave_unknown(connection, row, now)
    return len(waiting) + len(under_way)


def _leave_unknown(connection: sa.Connection, row: ApprovalRow, now: datetime) -> None:
    if row.state == State.APPROVED:
        transition(connection, row, State.EXECUTING, actor="butler", now=now, detail=CUT_OFF)
        row = replace(row, state=State.EXECUTING)
    last = approvals.last_attempt(connection, row.approval_id)
    if last is not None and last.outcome is None:
        unknown = AttemptOutcome.UNKNOWN
        approvals.end_attempt(connection, last.attempt_id, unknown, now=now, detail=CUT_OFF, provider_ref="")
    transition(connection, row, State.UNKNOWN, actor="butler", now=now, detail=CUT_OFF)
