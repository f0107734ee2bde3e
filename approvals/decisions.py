"""Handles the buttons on a card: approve, deny, and the owner's verdict on an unknown outcome."""

from datetime import datetime

import sqlalchemy as sa

from approvals.context import Context
from approvals.decide import decide_one, yes_held
from approvals.outcome_text import outcome
from approvals.pin_actions import PinActions
from approvals.show import learn_pressed
from approvals.states import State, Verb
from approvals.tap_result import Press, TapAnswer, TapResult, refuse, short
from butler.contract.speech import say
from butler.store.queries import approvals, buttons
from butler.store.queries.approvals import ApprovalRow

_DECIDED_STATES = frozenset(State) - {State.PENDING, State.EXPIRED, State.SUPERSEDED, State.CANCELLED}


class Decisions:
    """Applies an approval's buttons."""

    def __init__(self, context: Context, pins: PinActions) -> None:
        self._context, self._pins = context, pins

    def press(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Decide, or return why nothing was decided."""
        tap, button, row, now = press.tap, press.button, press.approval, press.now
        if row is None:
            return refuse(connection, tap, TapResult.UNKNOWN, button.subject, now)
        if button.revision != row.revision:
            return refuse(connection, tap, TapResult.STALE, row.approval_id, now)
        learn_pressed(connection, press, row)
        return self._act(connection, press, row)

    def _act(self, connection: sa.Connection, press: Press, row: ApprovalRow) -> TapAnswer:
        now, verb = press.now, Verb(press.button.verb)
        unused = press.button.used_at is None
        decided = decide_one(self._context, connection, row, verb, press.tap.sender, now) if unused else None
        if decided is not None:
            buttons.use(connection, press.button.nonce_sha256, now)
            return TapAnswer(TapResult.DECIDED, self._outcome_text(decided, now), row.approval_id)
        waits = verb is Verb.APPROVE and row.state == State.PENDING and now < row.expires_at
        if waits and yes_held(connection, row):
            return self._pins.ask(connection, press, row)
        return self._too_late(connection, press, verb, row)

    def _too_late(self, connection: sa.Connection, press: Press, verb: Verb, row: ApprovalRow) -> TapAnswer:
        # It may have expired just now.
        current = approvals.get(connection, row.approval_id) or row
        text = self._outcome_text(current, press.now)
        if current.revision != row.revision:
            text = say("The time on this card has passed. A new card asks whether it shall be done now.")
        elif verb is Verb.UNDO:
            text = say("Too late to undo.") + f" {text}"
        elif current.state in _DECIDED_STATES:
            text = say("Already decided.") + f" {text}"
        return refuse(connection, press.tap, TapResult.TOO_LATE, row.approval_id, press.now, text)

    def _outcome_text(self, row: ApprovalRow, now: datetime) -> str:
        return short(outcome(self._context, row, now))
