"""Corrections: the owner's new text for a sent message becomes a separate call, whose card waits for approval.

Words never approve: a reply to the card of a finished act only leads to another card.
"""

from datetime import datetime

import sqlalchemy as sa

from approvals.context import Context
from approvals.current_text import current_text
from approvals.follow_up_offers import next_of, offered
from approvals.follow_up_request import FollowUpRequest, ask_to_follow
from approvals.follow_ups import FollowUpKind, deletion_of, followed_by
from approvals.policy import Verdict
from approvals.revise import SAME, Change, NewValue, Revised
from approvals.states import State
from butler.contract.speech import phrase, say
from butler.store.queries import approvals
from butler.store.queries.approvals import ApprovalRow

TOO_LATE = phrase("It is too late to correct this by its card. Nothing was changed.")
ONLY_TEXT = phrase("This was done already: only its text can be corrected. Nothing was changed.")
DELETED = phrase("This is deleted, or about to be, so nothing of it can be corrected.")
WAITS = phrase(
    "A correction of this waits for your answer already, on a card of its own. Reply to that one, or deny it first."
)
UNDER_WAY = phrase("A correction of this is under way. Tell me again once it is done.")


def correct(
    context: Context, connection: sa.Connection, approval_id: str, change: Change, now: datetime
) -> Revised | str:
    """Request a correction, within the caller's transaction; return the approval, or a sentence that says why not.

    Wake the engine after commit.
    """
    row = approvals.get(connection, approval_id)
    if row is None or FollowUpKind.CORRECT not in offered(context, connection, row, now):
        return say(DELETED if row is not None and deletion_of(connection, row) else TOO_LATE)
    if held := _held(connection, row):
        return held
    if change.subject or change.recipients or change.dropped or change.account:
        return say(ONLY_TEXT)
    text, labels = current_text(connection, context.invoker, row)
    following = next_of(context, connection, row, FollowUpKind.CORRECT)
    assert following is not None, "what is offered can be asked for"
    if change.text is None or change.text.value == text:
        return say(SAME)
    origins = change.text.origins | labels if change.text.partly else change.text.origins
    put = NewValue(change.text.value, origins)
    asked = ask_to_follow(
        context, connection, FollowUpRequest(row, FollowUpKind.CORRECT, following, change.by, "a reply", put), now
    )
    if isinstance(asked, Verdict):
        return say("I may not do that: {reasons}. Nothing was changed.", reasons=asked.reasons_text)
    return Revised(asked.approval_id, asked.revision)


def _held(connection: sa.Connection, row: ApprovalRow) -> str:
    """Return that an unfinished earlier correction blocks this one; empty if all have ended."""
    states = {one.state for one in followed_by(connection, row, FollowUpKind.CORRECT)}
    if State.PENDING in states:
        return say(WAITS)
    return say(UNDER_WAY) if states & {State.APPROVED, State.EXECUTING} else ""
