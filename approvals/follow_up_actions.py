"""Handles Delete and Correct… on a card of a finished act. A tap on Delete approves the deletion.

The card showed what is deleted. The deletion is an approval like any other: judged, limited, executed, and reported on
the card that was tapped. It gets a card of its own only if it needs the PIN or has failed.
"""

from collections.abc import Mapping

import sqlalchemy as sa

from approvals.context import Context
from approvals.decide import decide_one
from approvals.follow_up_offers import fresh_until, next_of, offered
from approvals.follow_up_request import FollowUpRequest, ask_to_follow
from approvals.follow_up_words import follow_words
from approvals.follow_ups import CLOSE, FollowUpKind, deletion_of, followed_by
from approvals.policy import Verdict
from approvals.show import KEEP, learn_pressed
from approvals.states import State, Verb
from approvals.tap_result import Press, PressHandler, TapAnswer, TapResult, refuse, short
from approvals.transition import redraw, transition
from butler.contract.reasons import Reason, ReasonCode
from butler.contract.speech import phrase, say
from butler.store.queries import approvals, buttons, work
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.buttons import ButtonKind

SAY_IT = phrase("Reply to this card with what it should say.")
TAKES_PIN = phrase("This takes your PIN, so it waits for its own yes, on a card below.")
TOO_LATE = phrase("It is too late for this button. Nothing was done.")
GONE = Reason(ReasonCode.MESSAGE_DELETED)


class FollowUpActions:
    """Handles these taps, and `close_follow_ups`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def press_handlers(self) -> Mapping[tuple[str, str], PressHandler]:
        """Return the handlers by kind and verb of the button."""
        kind = ButtonKind.APPROVAL
        return {
            (kind, FollowUpKind.DELETE): self._delete,
            (kind, FollowUpKind.CORRECT): self._correct,
            (kind, KEEP): self._keep,
        }

    async def close(self, approval_id: str) -> None:
        """Redraw a card once the time for its follow-ups is over."""
        await self._context.store.write(lambda c: self._close(c, approval_id), "approval.close")
        self._context.wake()

    def _close(self, connection: sa.Connection, approval_id: str) -> None:
        now = self._context.clock.now()
        row = approvals.get(connection, approval_id)
        until = fresh_until(self._context, row) if row else None
        if until is not None and now < until:
            # The clock went back: check again then.
            work.add(connection, CLOSE, approval_id, now=now, run_at=until)
        elif row is not None:
            redraw(connection, row, now=now)

    def _delete(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Request the deletion and approve it, in the one transaction of the tap."""
        row = self._offering(connection, press, FollowUpKind.DELETE)
        if isinstance(row, TapAnswer):
            return row
        following = next_of(self._context, connection, row, FollowUpKind.DELETE)
        assert following is not None, "what is offered can be asked for"
        wish = FollowUpRequest(row, FollowUpKind.DELETE, following, press.tap.inbound_id, "a tap")
        asked = ask_to_follow(self._context, connection, wish, press.now)
        if isinstance(asked, Verdict):
            text = say("Not deleted: {reasons}.", reasons=asked.reasons_text)
            return refuse(connection, press.tap, TapResult.REFUSED, row.approval_id, press.now, text)
        buttons.use(connection, press.button.nonce_sha256, press.now)
        self._withdraw_corrections(connection, press, row)
        deletion = decide_one(self._context, connection, asked, Verb.APPROVE, press.tap.sender, press.now)
        if deletion is None:
            return TapAnswer(TapResult.NOTED, say(TAKES_PIN), row.approval_id)
        text = follow_words(self._context, deletion, FollowUpKind.DELETE, press.now)
        return TapAnswer(TapResult.DECIDED, short(text), row.approval_id)

    def _withdraw_corrections(self, connection: sa.Connection, press: Press, row: ApprovalRow) -> None:
        """Withdraw corrections that have not begun, since their target is about to be deleted."""
        for one in followed_by(connection, row, FollowUpKind.CORRECT):
            if one.state in {State.PENDING, State.APPROVED}:
                transition(connection, one, State.SUPERSEDED, actor=press.tap.sender, now=press.now, detail=(GONE,))

    def _keep(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Take back the approval of a deletion."""
        row = press.approval
        if row is None:
            return refuse(connection, press.tap, TapResult.UNKNOWN, press.button.subject, press.now)
        fresh = press.button.used_at is None
        deletion = approvals.by_call(connection, press.button.argument) if fresh else None
        kept = deletion and decide_one(self._context, connection, deletion, Verb.UNDO, press.tap.sender, press.now)
        if kept is None:
            text = self._last_words(connection, press, row, FollowUpKind.DELETE)
            text = " ".join(filter(None, (say("Too late to undo."), text)))
            return refuse(connection, press.tap, TapResult.TOO_LATE, row.approval_id, press.now, text)
        buttons.use(connection, press.button.nonce_sha256, press.now)
        text = follow_words(self._context, kept, FollowUpKind.DELETE, press.now)
        return TapAnswer(TapResult.DECIDED, short(text), row.approval_id)

    def _correct(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Decide nothing: from now on, the text of any reply to the card is the new text."""
        row = self._offering(connection, press, FollowUpKind.CORRECT)
        if isinstance(row, TapAnswer):
            return row
        buttons.use(connection, press.button.nonce_sha256, press.now)
        # The card gets a new, untapped button.
        redraw(connection, row, now=press.now)
        return TapAnswer(TapResult.NOTED, say(SAY_IT), row.approval_id)

    def _offering(self, connection: sa.Connection, press: Press, what: FollowUpKind) -> ApprovalRow | TapAnswer:
        """Return the approval whose card was tapped, if it may have this follow-up now; otherwise the refusal."""
        tap, row, now = press.tap, press.approval, press.now
        if row is None:
            return refuse(connection, tap, TapResult.UNKNOWN, press.button.subject, now)
        if press.button.revision != row.revision:
            return refuse(connection, tap, TapResult.STALE, row.approval_id, now)
        learn_pressed(connection, press, row)
        if press.button.used_at is None and what in offered(self._context, connection, row, now):
            return row
        text = self._last_words(connection, press, row, what) or say(TOO_LATE)
        return refuse(connection, tap, TapResult.TOO_LATE, row.approval_id, now, text)

    def _last_words(self, connection: sa.Connection, press: Press, row: ApprovalRow, what: FollowUpKind) -> str:
        """Return the state of a deletion that blocks other follow-ups, or else of the last follow-up of this kind."""
        deletion = deletion_of(connection, row)
        last = (
            (deletion, FollowUpKind.DELETE)
            if deletion
            else (next(iter(followed_by(connection, row, what)[-1:]), None), what)
        )
        return follow_words(self._context, last[0], last[1], press.now) if last[0] is not None else ""
