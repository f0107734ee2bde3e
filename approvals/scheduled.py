"""Acts approved for a later time: their buttons Send now and Change time, and their line in a list.

The time is part of the frozen call. Send now is the owner's own decision that it should not wait any longer; another
time is another revision, and needs another approval.
"""

from dataclasses import replace
from datetime import datetime, timedelta

import sqlalchemy as sa

from approvals.context import Context
from approvals.outcome_text import outcome, scheduled_for
from approvals.tap_result import Press, TapAnswer, TapResult, refuse, short
from approvals.transition import redraw
from butler.contract.speech import phrase, say
from butler.store.queries import approvals, audit, buttons, work
from butler.store.queries.approvals import ApprovalRow

SEND_NOW = "send_now"
CHANGE_TIME = "change_time"
"""The verbs of its buttons, beside the one that takes the approval back."""
HOW_TO_CHANGE = phrase(
    "Reply to this card with the new time, such as “tomorrow at 9”. It will ask for your yes once more."
)


class ScheduledActions:
    """Handles the buttons of an act that waits for its time."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def send_now(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Have the act done as soon as its undo window is over."""
        row, now = press.approval, press.now
        if (refused := self._refused(connection, press)) is not None or row is None:
            return refused or refuse(connection, press.tap, TapResult.UNKNOWN, press.button.subject, now)
        buttons.use(connection, press.button.nonce_sha256, now)
        assert row.execute_at is not None, "what waits for its time has one"
        due = min(row.execute_at, now + max(self._context.undo_for(row.tool), timedelta()))
        approvals.note_wait(connection, row.approval_id, execute_at=due, detail=row.detail)
        data = {"revision": row.revision, "was_due": row.execute_at.isoformat(), "execute_at": due.isoformat()}
        audit.append(connection, "approval.hastened", row.approval_id, press.tap.sender, data, now)
        work.cancel(connection, approvals.EXECUTE, row.approval_id)
        hastened = replace(row, execute_at=due).wait(now)
        work.add(connection, approvals.EXECUTE, row.approval_id, now=now, run_at=due, wait=hastened)
        redraw(connection, row, now=now)
        current = approvals.get(connection, row.approval_id) or row
        return TapAnswer(TapResult.DECIDED, short(outcome(self._context, current, now)), row.approval_id)

    def change_time(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Explain how to change the time; this changes nothing."""
        row = press.approval
        if (refused := self._refused(connection, press)) is not None or row is None:
            return refused or refuse(connection, press.tap, TapResult.UNKNOWN, press.button.subject, press.now)
        return TapAnswer(TapResult.REFUSED, say(HOW_TO_CHANGE), row.approval_id)

    def _refused(self, connection: sa.Connection, press: Press) -> TapAnswer | None:
        """Return why such a tap does nothing; None if it may do something."""
        row, now = press.approval, press.now
        if row is None:
            return None
        if press.button.revision != row.revision:
            return refuse(connection, press.tap, TapResult.STALE, row.approval_id, now)
        if press.button.used_at is not None or scheduled_for(row, now) is None:
            text = outcome(self._context, row, now)
            return refuse(connection, press.tap, TapResult.TOO_LATE, row.approval_id, now, text)
        return None


def when_of(context: Context, row: ApprovalRow, now: datetime) -> str:
    """Return the time that a call waits for, in brackets, for a line of a list; empty if it waits for none."""
    at = scheduled_for(row, now) or row.not_before
    return "" if at is None else f" ({context.moment(at)})"
