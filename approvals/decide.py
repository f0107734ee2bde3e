"""Applies one answer to one approval, however it was given: by a tap on its card or a digest, by mail, or by PIN."""

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
    """Return in a sentence for the owner why an approval without a PIN is not possible now; empty if it is."""
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

    Nothing is decided if the approval has changed meanwhile, or has expired, which this records. An approval is also
    refused while acts in the owner's name are paused; if it needs a PIN that was not given; if the call is no longer
    what was shown, which withdraws it; or if the time that the card showed for the act has passed: then the owner is
    asked anew, about doing it immediately.
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
