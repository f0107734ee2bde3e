"""The owner's yes and no to one approval, by one compare-and-set; and their word on what nobody else could find out."""

from datetime import datetime

import sqlalchemy as sa

from approvals.context import Context
from approvals.expiry import expire
from approvals.pause import is_paused
from approvals.show import learn_ref
from approvals.states import VERBS, State, Verb
from approvals.tapped import Press, TapAnswer, Tapped, refuse, short
from approvals.transition import transition
from approvals.words import outcome
from butler.contract.card import MessageRef
from butler.store.queries import approvals, buttons, work
from butler.store.queries.approvals import ApprovalRow, CardRef, Changes

PAUSED = "What acts as you is paused; /resume first. This still waits for you."

_DECIDED_STATES = frozenset(State) - {State.PENDING, State.EXPIRED, State.SUPERSEDED, State.CANCELLED}


def yes_held(connection: sa.Connection, row: ApprovalRow) -> str:
    """Why a yes to this cannot be taken now, in a sentence for the owner; empty when it can."""
    return PAUSED if is_paused(connection, row.identity) else ""


def decide_one(
    context: Context, connection: sa.Connection, row: ApprovalRow, verb: Verb, actor: str, now: datetime
) -> bool:
    """Do what a button says to one approval as `row` shows it; False when nothing was decided.

    That is so when it has moved on meanwhile, when its time is over (it expires by this), and, for a yes, when
    `yes_held` says why.
    """
    needed, new = VERBS[verb]
    if row.state != needed:
        return False
    if row.state == State.PENDING and now >= row.expires_at:
        expire(context, connection, row, now)
        return False
    if verb is Verb.APPROVE and yes_held(connection, row):
        return False
    changes = _changes(context, verb, row, actor, now)
    if not transition(connection, row, new, actor=actor, now=now, **changes):
        return False
    if verb is Verb.APPROVE:
        work.add(connection, approvals.EXECUTE, row.approval_id, now=now, run_at=changes.get("execute_at"))
    return True


def _changes(context: Context, verb: Verb, row: ApprovalRow, actor: str, now: datetime) -> Changes:
    if verb is Verb.APPROVE:
        undo = context.settings.undo_for(row.tool)
        return Changes(decided_at=now, decided_by=actor, execute_at=now + undo, detail="")
    if verb is Verb.DENY:
        return Changes(decided_at=now, decided_by=actor, detail="")
    return Changes(detail="")


class Decisions:
    """The hand of the buttons on a card."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def press(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Decide, or say why nothing was decided."""
        tap, button, now = press.tap, press.button, press.now
        row = approvals.get(connection, button.subject)
        if row is None:
            return refuse(connection, tap, Tapped.UNKNOWN, button.subject, now)
        if button.revision != row.revision:
            return refuse(connection, tap, Tapped.STALE, row.approval_id, now)
        if tap.message_ref:
            shown = MessageRef(chat=tap.chat, message_ids=(tap.message_ref,))
            learn_ref(connection, row.approval_id, CardRef(row.revision, shown))
        return self._act(connection, press, row)

    def _act(self, connection: sa.Connection, press: Press, row: ApprovalRow) -> TapAnswer:
        now, verb = press.now, Verb(press.button.verb)
        waits = verb is Verb.APPROVE and row.state == State.PENDING and now < row.expires_at
        if waits and (held := yes_held(connection, row)):
            return refuse(connection, press.tap, Tapped.REFUSED, row.approval_id, now, held)
        if press.button.used_at is not None or not decide_one(
            self._context, connection, row, verb, press.tap.sender, now
        ):
            return self._too_late(connection, press, verb, row)
        buttons.use(connection, press.button.nonce_sha256, now)
        return TapAnswer(Tapped.DECIDED, self._outcome(connection, row)[1], row.approval_id)

    def _too_late(self, connection: sa.Connection, press: Press, verb: Verb, row: ApprovalRow) -> TapAnswer:
        state, text = self._outcome(connection, row)
        if verb is Verb.UNDO:
            text = f"Too late to undo. {text}"
        elif state in _DECIDED_STATES:
            text = f"Already decided. {text}"
        return refuse(connection, press.tap, Tapped.TOO_LATE, row.approval_id, press.now, text)

    def _outcome(self, connection: sa.Connection, row: ApprovalRow) -> tuple[State, str]:
        """How the approval stands now, which is more than `row` knows."""
        current = approvals.get(connection, row.approval_id) or row
        return State(current.state), short(outcome(self._context, current, self._context.clock.now()))
