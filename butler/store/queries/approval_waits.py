"""Adjusts what decided approvals wait for to the clock: a displayed time, or a duration, such as that for undoing."""

from datetime import datetime, timedelta

import sqlalchemy as sa

from butler.store.tables import approvals

_LENGTH = sa.or_(
    approvals.c.state == "executing",
    approvals.c.not_before.is_(None),
    approvals.c.execute_at != approvals.c.not_before,
)
_OPEN = approvals.c.state.in_(("approved", "executing"))


def adjust_to_clock(connection: sa.Connection, step: timedelta, now: datetime) -> None:
    """Correct the waits after the clock was set by `step` to `now`: durations keep their remainder.

    At a start, where nobody saw the clock being set (`step` is zero), a duration that a fast clock had put off begins
    anew; the time that a card showed for an act is a moment, and stays.
    """
    waits = sa.select(approvals.c.approval_id, approvals.c.state, approvals.c.execute_at, approvals.c.decided_at).where(
        _OPEN, _LENGTH, approvals.c.execute_at > min(now, now - step)
    )
    for approval_id, state, execute_at, decided_at in connection.execute(waits).all():
        left = execute_at + step
        if decided_at is not None and decided_at > now:
            # How long a retry waits is stored in its work row.
            left = min(left, now + (execute_at - decided_at) if state == "approved" else now)
        connection.execute(approvals.update().where(approvals.c.approval_id == approval_id).values(execute_at=left))
