"""`/pending` and `/undo`: list the cards that wait for the owner, and the approved acts that have not begun.

Each line has a button that brings its card down to where the owner is: the card is sent anew, with new buttons; the
message that showed it until then says so and loses its buttons.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa

from approvals.approval_batch_members import bring_down, has_own_card, in_undo_window, redraw_batch
from approvals.buttons import new_button
from approvals.context import Context
from approvals.outcome_text import outcome, scheduled_for
from approvals.people import Names
from approvals.scheduled import when_of
from approvals.states import SHOW, State
from approvals.summary_lines import described
from approvals.tap_result import Press, TapAnswer, TapResult, refuse
from approvals.transition import redraw
from butler.contract.card import Button, OwnerMessage, Rich, Span, Style, plain
from butler.contract.names import Identity
from butler.contract.speech import phrase, say
from butler.store.queries import approval_batches, approvals, buttons, outbox
from butler.store.queries.approvals import ApprovalRow
from butler.store.queries.buttons import ButtonKind

PAGE = 8
"""The most lines, and buttons, of one message."""
IN_A_ROW = 4
NONE = phrase("Nothing is waiting for your yes.")
NO_UNDO = phrase("Nothing can be undone now: no act that you approved is still to begin.")
UNDO_IS_ON_CARDS = phrase("Undo is on their cards.")
UNDO_IS_THERE = phrase("Undo is on their cards. “stop” stops at once all that acts as you.")
ON_CARDS = phrase("Cancel, Send now and Change time are on their cards.")
_NO_YES = phrase("Nothing is done without your yes.")


@dataclass(frozen=True, slots=True)
class _Frame:
    """The texts above and below a list."""

    head: str
    end: str


def bring_card_down(connection: sa.Connection, row: ApprovalRow, now: datetime) -> None:
    """Send a card anew to where the owner is; for a member of a digest, send the digest card, turned to it."""
    batch = approval_batches.get(connection, row.batch_id) if row.batch_id and not has_own_card(row) else None
    if batch is not None:
        bring_down(connection, batch, row)
        redraw_batch(connection, batch, now)
        return
    left = (replace(ref, leaving=True) for ref in row.card_refs)
    approvals.set_card_refs(connection, row.approval_id, left)
    redraw(connection, row, now=now)


class PendingList:
    """Sends the lists, and handles their buttons."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def say(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Queue the list for the owner, with its buttons; `key` keeps it from being sent twice."""
        rows = approvals.in_state(connection, State.PENDING)
        later = [row for row in approvals.in_state(connection, State.APPROVED) if scheduled_for(row, now) is not None]
        if not rows and not later:
            outbox.add(connection, chat, OwnerMessage(text=plain(say(NONE))), now=now, dedup_key=key)
        self._list(
            connection,
            rows,
            _Frame(say("{count} waiting for your yes:", count=len(rows)), say(_NO_YES)),
            chat,
            key,
            now,
        )
        frame = _Frame(say("{count} approved for later:", count=len(later)), say(ON_CARDS))
        self._list(connection, later, frame, chat, f"{key}:later" if rows else key, now)

    def can_undo(self, connection: sa.Connection) -> bool:
        """Return whether any approved act can be taken back."""
        return bool(in_undo_window(approvals.in_state(connection, State.APPROVED)))

    def say_undoable(self, connection: sa.Connection, chat: str, key: str, now: datetime) -> None:
        """Queue the list of approved acts that have not begun and can be taken back."""
        rows = in_undo_window(approvals.in_state(connection, State.APPROVED))
        if not rows:
            waiting = len(approvals.in_state(connection, State.PENDING))
            text = say(NO_UNDO)
            if waiting:
                text += " " + say("{count} waiting for your yes: /pending shows them.", count=waiting)
            outbox.add(connection, chat, OwnerMessage(text=plain(text)), now=now, dedup_key=key)
        end = say(UNDO_IS_THERE if any(row.identity == Identity.USER for row in rows) else UNDO_IS_ON_CARDS)
        head = say("{count} approved and not begun:", count=len(rows))
        self._list(connection, rows, _Frame(head, end), chat, key, now)

    def _list(
        self,
        connection: sa.Connection,
        rows: Sequence[ApprovalRow],
        frame: "_Frame",
        chat: str,
        key: str,
        now: datetime,
    ) -> None:
        for start in range(0, len(rows), PAGE):
            page = rows[start : start + PAGE]
            text = self._text(connection, page, start + 1, now)
            if start == 0:
                text = (Span(text=f"{frame.head}\n"), *text)
            if start + PAGE >= len(rows):
                show = say("Show brings a card down here.")
                text = (*text, Span(text=f"{frame.end} {show}", style=Style.ITALIC))
            message = OwnerMessage(text=text, buttons=self._buttons(connection, page, start + 1, chat, now))
            outbox.add(connection, chat, message, now=now, dedup_key=f"{key}:{start}" if start else key)

    def press(self, connection: sa.Connection, press: Press) -> TapAnswer:
        """Bring down a card in its newest version; for a member of a digest, the digest card, turned to it."""
        tap, row, now = press.tap, press.approval, press.now
        if row is None:
            return refuse(connection, tap, TapResult.UNKNOWN, press.button.subject, now)
        waits = row.state == State.PENDING and now < row.expires_at
        if not waits and not in_undo_window([row]):
            text = " ".join(filter(None, (say("This no longer waits."), outcome(self._context, row, now))))
            return refuse(connection, tap, TapResult.TOO_LATE, row.approval_id, now, text)
        if not buttons.use(connection, press.button.nonce_sha256, now):
            text = say("You have tapped this before. /pending has new buttons.")
            return refuse(connection, tap, TapResult.TOO_LATE, row.approval_id, now, text)
        if row.batch_id and not has_own_card(row) and not waits:
            return TapAnswer(TapResult.NOTED, say("Undo is on the card that shows several."), row.approval_id)
        bring_card_down(connection, row, now)
        here = self._context.chat_of(row.chat) == tap.chat
        text = "" if here else say("Shown in the chat that it belongs to.")
        return TapAnswer(TapResult.NOTED, text, row.approval_id)

    def _text(self, connection: sa.Connection, rows: Sequence[ApprovalRow], first: int, now: datetime) -> Rich:
        names, invoker = Names(connection), self._context.invoker
        shown = (described(invoker, row, names) + when_of(self._context, row, now) for row in rows)
        return tuple(Span(text=f"{number}. {line}\n") for number, line in enumerate(shown, first))

    def _buttons(
        self, connection: sa.Connection, rows: Sequence[ApprovalRow], first: int, chat: str, now: datetime
    ) -> tuple[tuple[Button, ...], ...]:
        made = [
            new_button(
                connection,
                ButtonKind.APPROVAL,
                row.approval_id,
                row.revision,
                SHOW,
                say("Show {number}", number=number),
                owner=self._context.owner_id(),
                chat=chat,
                now=now,
            )
            for number, row in enumerate(rows, first)
        ]
        return tuple(tuple(made[start : start + IN_A_ROW]) for start in range(0, len(made), IN_A_ROW))
