"""One answer to one approval, by whatever means: a tap on its card or on a digest, a mail, a PIN."""

from datetime import datetime

import sqlalchemy as sa

from approvals.approvable import unapprovable
from approvals.context import Context
from approvals.expiry import expire
from approvals.pause import is_paused
from approvals.pin import needs_pin
from approvals.revise import ask_again
from approvals.states import VERBS, State, Verb
from approvals.transition import transition
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import phrase, say
from butler.store.queries.approvals import ApprovalRow, Changes

PASSED = Reason(ReasonCode.TIME_PASSED_BEFORE_YES)
"""Why a call that waited for a time is asked about again."""
PAUSED = phrase("What acts as you is paused; /resume first. This still waits for you.")
TAKES_PIN = phrase("This takes your PIN, so approve it by its own Approve button. It still waits for you.")


def yes_held(connection: sa.Connection, row: ApprovalRow) -> str:
    """Say why an approval without a PIN is not possible now, in a sentence for the owner; empty when it is."""
    if is_paused(connection, row.identity):
        return say(PAUSED)
    return say(TAKES_PIN) if needs_pin(connection, row) else ""


def decide_one(
    context: Context,
    connection: sa.Connection,
    row: ApprovalRow,
    verb: Verb,
    actor: str,
    now: datetime,
    *,
    pin_given: bool = False,
) -> ApprovalRow | None:
    """Apply a button to one approval as `row` shows it; return its new state, or None when nothing was decided.

    Nothing is decided when it has moved on meanwhile, or when its time is over (this expires it). An approval is
    refused, too, while acts in the owner's name are paused, when it takes a PIN that was not given, when it is no
    longer what was shown (this withdraws it), or when the time that the card showed for the act has passed: then it is
    asked about anew, to be done immediately.
    """
    needed, new = VERBS[verb]
    if row.state != needed:
        return None
    if row.state == State.PENDING and now >= row.expires_at:
        expire(context, connection, row, now)
        return None
    if verb is Verb.APPROVE and (is_paused(connection, row.identity) or (not pin_given and needs_pin(connection, row))):
        return None
    if verb is Verb.APPROVE and (why := unapprovable(context.invoker, row)):
        transition(connection, row, State.SUPERSEDED, actor="butler", now=now, detail=(why,))
        return None
    if verb is Verb.APPROVE and row.not_before is not None and row.not_before <= now:
        ask_again(context, connection, row, PASSED, now)
        return None
    return transition(connection, row, new, actor=actor, now=now, **_changes(context, verb, row, actor, now))


def _changes(context: Context, verb: Verb, row: ApprovalRow, actor: str, now: datetime) -> Changes:
    if verb is Verb.APPROVE:
        undo = context.undo_for(row.tool)
        due = max(now + undo, row.not_before or now)
        return Changes(decided_at=now, decided_by=actor, execute_at=due, detail=())
    if verb is Verb.DENY:
        return Changes(decided_at=now, decided_by=actor, detail=())
    return Changes(detail=())
