"""A typed "undo": takes the last approval back if it clearly was the last act; otherwise it changes nothing.

An act with a time of its own was approved for that time, so only its card or a list takes it back.
"""

from datetime import datetime

import sqlalchemy as sa

from approvals.approval_batch_members import in_undo_window
from approvals.context import Context
from approvals.decide import decide_one
from approvals.outcome_text import no_effect, scheduled_for
from approvals.people import Names
from approvals.states import State, Verb
from approvals.summary_lines import described
from butler.contract.inbound import Inbound
from butler.contract.speech import say_many
from butler.store.queries import approvals, plans
from butler.store.queries.approvals import ApprovalRow


def last_yes(connection: sa.Connection, now: datetime) -> list[ApprovalRow]:
    """Return the last approvals that can be taken back: all that one tap approved. Empty if there are none."""
    rows = in_undo_window(approvals.in_state(connection, State.APPROVED))
    decided = [(row.decided_at, row) for row in rows if row.decided_at and scheduled_for(row, now) is None]
    newest = max((at for at, _ in decided), default=None)
    return [row for at, row in decided if at == newest]


def take_back(context: Context, connection: sa.Connection, item: Inbound, now: datetime, own_call: str = "") -> str:
    """Take the last approval back by the owner's word; return the answer, empty if it is not clearly meant.

    `own_call` is the call of a plan that takes it back, if the word came by a plan.
    """
    rows = last_yes(connection, now)
    if not rows or _acted_since(connection, rows[0], item.chat, own_call):
        return ""
    names = Names(connection)
    back = [row for row in rows if decide_one(context, connection, row, Verb.UNDO, item.sender, now) is not None]
    lines = [described(context.invoker, row, names) for row in back]
    text = say_many(len(back), "Taken back:", "Taken back, {count} of them:")
    end = no_effect(rows[0].tool)
    if more := len(in_undo_window(approvals.in_state(connection, State.APPROVED))):
        left = say_many(more, "1 more can be taken back: /undo.", "{count} more can be taken back: /undo.")
        end = f"{end} {left}"
    return "\n".join([text, *lines, end])


def _acted_since(connection: sa.Connection, row: ApprovalRow, chat: str, own_call: str) -> bool:
    """Return whether, after this approval, an approved act has begun or the owner has made another request."""
    at = row.decided_at
    assert at is not None
    own_plan = own_call.rpartition(":")[0]
    return approvals.begun_after(connection, at, own_call) or plans.begun_after(connection, chat, at, own_plan)
