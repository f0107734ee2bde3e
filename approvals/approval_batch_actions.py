"""Handles the buttons on a digest card: turn pages, decide the call on display, or decide all once all were shown.

Each member is decided as if it had its own card, by one compare-and-set. No member is approved unseen: the transaction
that approves them checks that every waiting one was shown whole in its present version.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from approvals import approval_batch_members
from approvals.approval_batch_show import ApprovalBatchVerb
from approvals.approval_batch_text import counts
from approvals.context import Context
from approvals.decide import decide_one, yes_held
from approvals.outcome_text import act, begins, no_effect, outcome
from approvals.states import State, Verb
from approvals.tap_result import Press, TapAnswer, TapResult, refuse, short
from butler.contract.card import MessageRef
from butler.contract.speech import phrase, say, say_many
from butler.store.queries import approval_batches, approvals, audit, buttons
from butler.store.queries.approval_batches import ApprovalBatchRow
from butler.store.queries.approvals import ApprovalRow, CardRef

_VERBS = {
    ApprovalBatchVerb.APPROVE: Verb.APPROVE,
    ApprovalBatchVerb.APPROVE_ALL: Verb.APPROVE,
    ApprovalBatchVerb.DENY: Verb.DENY,
    ApprovalBatchVerb.DENY_ALL: Verb.DENY,
}
_TURNED = phrase("This page was turned already.")
_MOVED = phrase("This card has moved below.")


class ApprovalBatchActions:
    """Handles presses within the transaction of the tap."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._press_handlers = {
            ApprovalBatchVerb.TURN: self._turn,
            ApprovalBatchVerb.APPROVE: self._one,
            ApprovalBatchVerb.DENY: self._one,
            ApprovalBatchVerb.APPROVE_ALL: self._all,
            ApprovalBatchVerb.DENY_ALL: self._all,
            ApprovalBatchVerb.UNDO_ALL: self._undo,
        }

    def press(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Do what the button says, or return why nothing was done."""
        batch = approval_batches.get(connection, press.button.subject)
        if batch is None:
            return refuse(connection, press.tap, TapResult.UNKNOWN, press.button.subject, press.now)
        if press.tap.message_ref:
            message = MessageRef(chat=press.tap.chat, message_ids=(press.tap.message_ref,))
            approval_batch_members.learn_refs(connection, batch, [CardRef(0, message)])
        return self._press_handlers[ApprovalBatchVerb(press.button.verb)](connection, press, batch)

    def _turn(self, connection: sa.Connection, press: Press, batch: ApprovalBatchRow) -> TapAnswer:
        if _is_stale(press, batch) or not buttons.use(connection, press.button.nonce_sha256, press.now):
            tapped = approval_batch_members.message_of(batch, press.tap.chat, press.tap.message_ref)
            return TapAnswer(TapResult.NOTED, say(_MOVED if tapped and tapped.leaving else _TURNED))
        approval_batches.change(connection, batch.batch_id, showing=press.button.argument, revision=batch.revision + 1)
        approval_batch_members.redraw_batch(connection, batch, press.now)
        return TapAnswer(TapResult.NOTED, "")

    def _one(self, connection: sa.Connection, press: Press, batch: ApprovalBatchRow) -> TapAnswer:
        approval_id, _, revision = press.button.argument.rpartition(":")
        row = approvals.get(connection, approval_id)
        if row is not None and row.state != State.PENDING:
            text = say("Already decided.") + f" {self._outcome(row, press)}"
            return refuse(connection, press.tap, TapResult.TOO_LATE, approval_id, press.now, text)
        shown = (batch.batch_id, revision)
        if row is None or (row.batch_id, str(row.revision)) != shown or _is_stale(press, batch):
            return refuse(connection, press.tap, TapResult.STALE, approval_id, press.now)
        verb = _VERBS[ApprovalBatchVerb(press.button.verb)]
        if verb is Verb.APPROVE and (held := self._held(connection, press, [row])):
            return refuse(connection, press.tap, TapResult.REFUSED, approval_id, press.now, held)
        decided = decide_one(self._context, connection, row, verb, press.tap.sender, press.now)
        text = self._outcome(approvals.get(connection, approval_id) or row, press)
        if not decided:
            return refuse(connection, press.tap, TapResult.TOO_LATE, approval_id, press.now, text)
        buttons.use(connection, press.button.nonce_sha256, press.now)
        return TapAnswer(TapResult.DECIDED, short(text), approval_id)

    def _all(self, connection: sa.Connection, press: Press, batch: ApprovalBatchRow) -> TapAnswer:
        members = approval_batches.members(connection, batch.batch_id)
        rows = approval_batch_members.waiting(members)
        if not rows:
            text = say("Nothing waits here any more.") + f" {counts(members)}."
            return refuse(connection, press.tap, TapResult.TOO_LATE, batch.batch_id, press.now, text)
        if unseen := approval_batch_members.unseen(batch, rows):
            text = say(
                "{count} of {total} were not shown to you yet as they are. Nothing was done.",
                count=len(unseen),
                total=len(rows),
            )
            return refuse(connection, press.tap, TapResult.REFUSED, batch.batch_id, press.now, text)
        if press.button.argument != approval_batch_members.digest_of(rows):
            return refuse(connection, press.tap, TapResult.STALE, batch.batch_id, press.now)
        verb = _VERBS[ApprovalBatchVerb(press.button.verb)]
        if verb is Verb.APPROVE and (held := self._held(connection, press, rows)):
            return refuse(connection, press.tap, TapResult.REFUSED, batch.batch_id, press.now, held)
        done = self._each(connection, press, rows, verb)
        if not done:
            text = say("Too late.") + f" {counts(approval_batches.members(connection, batch.batch_id))}."
            return refuse(connection, press.tap, TapResult.TOO_LATE, batch.batch_id, press.now, text)
        self._note(connection, press, batch, done)
        return TapAnswer(TapResult.DECIDED, short(self._told(rows, done, verb)))

    def _undo(self, connection: sa.Connection, press: Press, batch: ApprovalBatchRow) -> TapAnswer:
        """Take back the approvals that existed when the button was drawn; later approvals stay."""
        undoable = approval_batch_members.in_undo_window(approval_batches.members(connection, batch.batch_id))
        drawn, used = press.button.created_at, press.button.used_at is not None
        rows = [row for row in undoable if not used and row.decided_at is not None and row.decided_at <= drawn]
        done = self._each(connection, press, rows, Verb.UNDO)
        late = int(press.button.argument) - len(done)
        if not done:
            text = say("Too late to undo.") + f" {counts(approval_batches.members(connection, batch.batch_id))}."
            return refuse(connection, press.tap, TapResult.TOO_LATE, batch.batch_id, press.now, text)
        self._note(connection, press, batch, done)
        nothing = act(batch.tool, say("Nothing of that was sent."), say("Nothing of that was done."))
        lines = [say("Undone {count}.", count=len(done)), nothing]
        if late > 0:
            lines.append(say("Too late for {count}.", count=late))
        return TapAnswer(TapResult.DECIDED, short(" ".join(lines)))

    def _each(self, connection: sa.Connection, press: Press, rows: Sequence[ApprovalRow], verb: Verb) -> list[str]:
        """Decide the members one after the other; return the ids of those that this call decided."""
        actor = press.tap.sender
        return [row.approval_id for row in rows if decide_one(self._context, connection, row, verb, actor, press.now)]

    def _told(self, rows: Sequence[ApprovalRow], done: Sequence[str], verb: Verb) -> str:
        tool, late = rows[0].tool, len(rows) - len(done)
        if verb is Verb.APPROVE:
            lines = [say("Approved {count}.", count=len(done)), begins(tool, self._context.undo_for(tool))]
        else:
            lines = [say("Denied {count}.", count=len(done)), no_effect(tool)]
        if late:
            lines.append(say_many(late, "{count} had expired.", "{count} had expired."))
        return " ".join(lines)

    def _note(self, connection: sa.Connection, press: Press, batch: ApprovalBatchRow, done: Sequence[str]) -> None:
        buttons.use(connection, press.button.nonce_sha256, press.now)
        data = {"approvals": list(done), "inbound": press.tap.inbound_id}
        kind = f"batch.{press.button.verb}"
        audit.append(connection, kind, batch.batch_id, press.tap.sender, data, press.now)

    def _held(self, connection: sa.Connection, press: Press, rows: Sequence[ApprovalRow]) -> str:
        """Return why approving these is not possible now, or empty; all members of a batch share tool and risk."""
        in_time = [row for row in rows if press.now < row.expires_at]
        return yes_held(connection, in_time[0]) if in_time else ""

    def _outcome(self, row: ApprovalRow, press: Press) -> str:
        return outcome(self._context, row, press.now)


def _is_stale(press: Press, batch: ApprovalBatchRow) -> bool:
    """Return whether the card was turned, or the item on display decided or changed, after the button was drawn."""
    return press.button.revision != batch.revision
