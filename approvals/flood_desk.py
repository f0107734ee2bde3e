"""The hand of the buttons on a digest card: turn pages, decide the one that is shown, or all once all were shown.

Every member is decided as by a card of its own, one compare-and-set each. None is approved unseen: whether all that
wait were shown whole as they now are is looked up in the transaction that approves them.
"""

from collections.abc import Sequence

import sqlalchemy as sa

from approvals import floods as flooded
from approvals.context import Context
from approvals.decide import decide_one, yes_held
from approvals.flood_show import FloodVerb
from approvals.flood_words import counts
from approvals.states import State, Verb
from approvals.tapped import Press, TapAnswer, Tapped, refuse, short
from approvals.words import act, begins, nothing_came, outcome
from butler.contract.card import MessageRef
from butler.contract.speech import phrase, say, say_many
from butler.store.queries import approvals, audit, buttons, floods
from butler.store.queries.approvals import ApprovalRow, CardRef
from butler.store.queries.floods import FloodRow

_VERBS = {
    FloodVerb.APPROVE: Verb.APPROVE,
    FloodVerb.APPROVE_ALL: Verb.APPROVE,
    FloodVerb.DENY: Verb.DENY,
    FloodVerb.DENY_ALL: Verb.DENY,
}
_TURNED = phrase("This page was turned already.")
_MOVED = phrase("This card has moved below.")


class FloodDesk:
    """Acts on a press within the transaction of the tap."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._hands = {
            FloodVerb.TURN: self._turn,
            FloodVerb.APPROVE: self._one,
            FloodVerb.DENY: self._one,
            FloodVerb.APPROVE_ALL: self._all,
            FloodVerb.DENY_ALL: self._all,
            FloodVerb.UNDO_ALL: self._undo,
        }

    def press(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Do what the button says, or say why nothing was done."""
        flood = floods.get(connection, press.button.subject)
        if flood is None:
            return refuse(connection, press.tap, Tapped.UNKNOWN, press.button.subject, press.now)
        if press.tap.message_ref:
            message = MessageRef(chat=press.tap.chat, message_ids=(press.tap.message_ref,))
            flooded.learn_refs(connection, flood, [CardRef(0, message)])
        return self._hands[FloodVerb(press.button.verb)](connection, press, flood)

    def _turn(self, connection: sa.Connection, press: Press, flood: FloodRow) -> TapAnswer:
        if _is_stale(press, flood) or not buttons.use(connection, press.button.nonce_sha256, press.now):
            tapped = flooded.message_of(flood, press.tap.chat, press.tap.message_ref)
            return TapAnswer(Tapped.NOTED, say(_MOVED if tapped and tapped.leaving else _TURNED))
        floods.change(connection, flood.flood_id, showing=press.button.argument, revision=flood.revision + 1)
        flooded.draw_anew(connection, flood, press.now)
        return TapAnswer(Tapped.NOTED, "")

    def _one(self, connection: sa.Connection, press: Press, flood: FloodRow) -> TapAnswer:
        approval_id, _, revision = press.button.argument.rpartition(":")
        row = approvals.get(connection, approval_id)
        if row is not None and row.state != State.PENDING:
            text = say("Already decided.") + f" {self._outcome(row, press)}"
            return refuse(connection, press.tap, Tapped.TOO_LATE, approval_id, press.now, text)
        shown = (flood.flood_id, revision)
        if row is None or (row.flood_id, str(row.revision)) != shown or _is_stale(press, flood):
            return refuse(connection, press.tap, Tapped.STALE, approval_id, press.now)
        verb = _VERBS[FloodVerb(press.button.verb)]
        if verb is Verb.APPROVE and (held := self._held(connection, press, [row])):
            return refuse(connection, press.tap, Tapped.REFUSED, approval_id, press.now, held)
        decided = decide_one(self._context, connection, row, verb, press.tap.sender, press.now)
        text = self._outcome(approvals.get(connection, approval_id) or row, press)
        if not decided:
            return refuse(connection, press.tap, Tapped.TOO_LATE, approval_id, press.now, text)
        buttons.use(connection, press.button.nonce_sha256, press.now)
        return TapAnswer(Tapped.DECIDED, short(text), approval_id)

    def _all(self, connection: sa.Connection, press: Press, flood: FloodRow) -> TapAnswer:
        members = floods.members(connection, flood.flood_id)
        rows = flooded.waiting(members)
        if not rows:
            text = say("Nothing waits here any more.") + f" {counts(members)}."
            return refuse(connection, press.tap, Tapped.TOO_LATE, flood.flood_id, press.now, text)
        if unseen := flooded.unseen(flood, rows):
            text = say(
                "{count} of {total} were not shown to you yet as they are. Nothing was done.",
                count=len(unseen),
                total=len(rows),
            )
            return refuse(connection, press.tap, Tapped.REFUSED, flood.flood_id, press.now, text)
        if press.button.argument != flooded.digest_of(rows):
            return refuse(connection, press.tap, Tapped.STALE, flood.flood_id, press.now)
        verb = _VERBS[FloodVerb(press.button.verb)]
        if verb is Verb.APPROVE and (held := self._held(connection, press, rows)):
            return refuse(connection, press.tap, Tapped.REFUSED, flood.flood_id, press.now, held)
        done = self._each(connection, press, rows, verb)
        if not done:
            text = say("Too late.") + f" {counts(floods.members(connection, flood.flood_id))}."
            return refuse(connection, press.tap, Tapped.TOO_LATE, flood.flood_id, press.now, text)
        self._note(connection, press, flood, done)
        return TapAnswer(Tapped.DECIDED, short(self._told(rows, done, verb)))

    def _undo(self, connection: sa.Connection, press: Press, flood: FloodRow) -> TapAnswer:
        """Take back what was approved when the button was drawn; a yes that came after it stands."""
        undoable = flooded.in_undo_window(floods.members(connection, flood.flood_id))
        drawn, used = press.button.created_at, press.button.used_at is not None
        rows = [row for row in undoable if not used and row.decided_at is not None and row.decided_at <= drawn]
        done = self._each(connection, press, rows, Verb.UNDO)
        late = int(press.button.argument) - len(done)
        if not done:
            text = say("Too late to undo.") + f" {counts(floods.members(connection, flood.flood_id))}."
            return refuse(connection, press.tap, Tapped.TOO_LATE, flood.flood_id, press.now, text)
        self._note(connection, press, flood, done)
        nothing = act(flood.tool, say("Nothing of that was sent."), say("Nothing of that was done."))
        told = [say("Undone {count}.", count=len(done)), nothing]
        if late > 0:
            told.append(say("Too late for {count}.", count=late))
        return TapAnswer(Tapped.DECIDED, short(" ".join(told)))

    def _each(self, connection: sa.Connection, press: Press, rows: Sequence[ApprovalRow], verb: Verb) -> list[str]:
        """Decide one after the other; those that were decided by this."""
        actor = press.tap.sender
        return [row.approval_id for row in rows if decide_one(self._context, connection, row, verb, actor, press.now)]

    def _told(self, rows: Sequence[ApprovalRow], done: Sequence[str], verb: Verb) -> str:
        tool, late = rows[0].tool, len(rows) - len(done)
        if verb is Verb.APPROVE:
            told = [say("Approved {count}.", count=len(done)), begins(tool, self._context.undo_for(tool))]
        else:
            told = [say("Denied {count}.", count=len(done)), nothing_came(tool)]
        if late:
            told.append(say_many(late, "{count} had expired.", "{count} had expired."))
        return " ".join(told)

    def _note(self, connection: sa.Connection, press: Press, flood: FloodRow, done: Sequence[str]) -> None:
        buttons.use(connection, press.button.nonce_sha256, press.now)
        data = {"approvals": list(done), "inbound": press.tap.inbound_id}
        kind = f"flood.{press.button.verb}"
        audit.append(connection, kind, flood.flood_id, press.tap.sender, data, press.now)

    def _held(self, connection: sa.Connection, press: Press, rows: Sequence[ApprovalRow]) -> str:
        """Why a yes to these cannot be taken now; all of a flood have the same tool and risk."""
        in_time = [row for row in rows if press.now < row.expires_at]
        return yes_held(connection, in_time[0]) if in_time else ""

    def _outcome(self, row: ApprovalRow, press: Press) -> str:
        return outcome(self._context, row, press.now)


def _is_stale(press: Press, flood: FloodRow) -> bool:
    """Whether the card has been turned on since, or the item on display was decided or changed."""
    return press.button.revision != flood.revision
