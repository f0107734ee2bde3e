"""Work handler: draws a card from its row, with buttons whose nonces are stored before they are shown.

The first drawing of a revision sends a message, later ones edit it, unless the owner has the card brought down: then it
is sent anew. A crash between sending a message and recording it leads to a second message; the buttons of both are
valid until one is used. Messages of earlier revisions, and those that the card has left, lose their buttons once the
new one is delivered.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import sqlalchemy as sa
import structlog

from approvals.approvable import unapprovable
from approvals.approval_batch_members import joins, may_undo
from approvals.buttons import new_button
from approvals.card import REPLACED, SHOWN_BELOW, build, replaced
from approvals.closed_chat import draw_when_open
from approvals.context import Context
from approvals.follow_up_offers import fresh_until, offered
from approvals.follow_up_words import followed_words
from approvals.follow_ups import CLOSE, FollowUpKind, corrections_of, deletion_of, original_of, what_follows
from approvals.outcome_text import passed, scheduled_for
from approvals.people import Names
from approvals.quiet_hours import put_off, was_asked_for
from approvals.rule_proposals import ALWAYS, is_offered
from approvals.scheduled import CHANGE_TIME, SEND_NOW
from approvals.states import State, Verb
from approvals.tap_result import Press
from approvals.transition import IN_FLIGHT
from approvals.versions import changes_in, version
from butler.contract.card import Button, Card, MessageRef, OwnerMessage, plain
from butler.contract.errors import ChatClosedError, Retryable
from butler.contract.reasons import Reason, of_error
from butler.contract.speech import phrase, say
from butler.store.queries import approvals, inbox, outbox, work
from butler.store.queries.approvals import ApprovalRow, CardRef
from butler.store.queries.buttons import ButtonKind
from butler.store.queries.rules import BY_REPEAT

log = structlog.get_logger(__name__)

CANCEL = phrase("Cancel")
KEEP = "keep"
"""The verb of the button that takes back the approval of a deletion."""
_LABELS: dict[str, str] = {
    Verb.APPROVE: phrase("Approve"),
    Verb.DENY: phrase("Deny"),
    Verb.UNDO: phrase("Undo"),
    SEND_NOW: phrase("Send now"),
    CHANGE_TIME: phrase("Change time…"),
    Verb.MARK_DONE: phrase("It was done"),
    Verb.MARK_FAILED: phrase("It was not done"),
    ALWAYS: phrase("Always…"),
    FollowUpKind.DELETE: phrase("Delete"),
    FollowUpKind.CORRECT: phrase("Correct…"),
    KEEP: phrase("Undo"),
}
_TOLD_ALOUD = frozenset({State.PENDING, State.FAILED, State.UNKNOWN})
_OFFERED = {
    State.PENDING: (Verb.APPROVE, Verb.DENY),
    State.APPROVED: (Verb.UNDO,),
    State.UNKNOWN: (Verb.MARK_DONE, Verb.MARK_FAILED),
}


class NotPairedError(Retryable):
    """There is no chat to show this in before the owner is paired."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A card with its buttons stored, and its destination."""

    card: Card
    chat: str
    reply_to: str | None
    refs: tuple[MessageRef, ...]
    old: tuple[tuple[CardRef, Card], ...] = ()
    """Messages that the card has left, or of earlier revisions, that still look pending, with their replacements."""


class CardShower:
    """Handles `show_card`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def show(self, approval_id: str) -> None:
        """Send or edit the card; in a closed chat, once the chat is open. Raises the channel's other errors."""
        now = self._context.clock.now()
        drawings = await self._context.store.write(lambda c: self._prepare(c, approval_id, now), "approval.draw")
        # The approval may have joined a digest, whose card is to be drawn; or its buttons expire later.
        self._context.wake()
        for drawing in drawings:
            try:
                await self._draw(drawing, now)
            except ChatClosedError as closed:
                log.info("card_not_redrawn", approval=drawing.card.approval_id, why=closed.detail)
                await self._context.store.write(lambda c, drawing=drawing: _wait(c, drawing, now), "approval.waits")

    async def _draw(self, drawing: Drawing, now: datetime) -> None:
        approval_id = drawing.card.approval_id
        for ref in drawing.refs:
            await self._context.channel.edit(ref, drawing.card)
        if not drawing.refs and not await self._send(approval_id, drawing, now):
            return
        for ref, card in drawing.old:
            await self._context.channel.edit(ref.message, card)
        if drawing.old:
            retired = [ref for ref, _ in drawing.old]
            await self._context.store.write(lambda c: _retire(c, approval_id, retired), "approval.retired")

    async def _send(self, approval_id: str, drawing: Drawing, now: datetime) -> bool:
        """Send a new message; return False if the chat is closed and the card has to wait."""
        try:
            ref = await self._context.channel.show(drawing.chat, drawing.card, drawing.reply_to)
        except ChatClosedError as closed:
            why = of_error(closed)
            await self._context.store.write(lambda c: keep_unseen(c, drawing.chat, why, now), "approval.unseen")
            return False
        shown = CardRef(drawing.card.revision, ref)
        await self._context.store.write(lambda c: learn_ref(c, approval_id, shown), "approval.shown")
        return True

    def _prepare(self, connection: sa.Connection, approval_id: str, now: datetime) -> list[Drawing]:
        """Prepare the approval's own card, and those of related approvals that show its state."""
        row = approvals.get(connection, approval_id)
        if row is None:
            return []
        first = original_of(connection, row)
        shown_by = [first] if first is not None and any(_shows(ref, first) for ref in first.card_refs) else []
        own = [] if shown_by and _is_shown_by_other(connection, row) else [row]
        # Deleting the message also deletes its corrections.
        corrected = corrections_of(connection, first) if first and what_follows(row) is FollowUpKind.DELETE else ()
        touched = [one for one in corrected if any(_shows(ref, one) for ref in one.card_refs)]
        every = (*own, *shown_by, *touched)
        found = (self._drawing(connection, one, now) for one in every if _is_for_the_owner(one))
        return [drawing for drawing in found if drawing is not None]

    def _drawing(self, connection: sa.Connection, row: ApprovalRow, now: datetime) -> Drawing | None:
        chat = self._context.chat_of(row.chat)
        owner = self._context.owner_id()
        if not chat or not owner:
            raise NotPairedError
        if put_off(self._context, connection, row, now) or joins(self._context, connection, row, now):
            return None
        lines = [
            tuple(_new_button(connection, row, *which, owner=owner, chat=chat, now=now) for which in line)
            for line in self._verbs(connection, row, now)
            if line
        ]
        names = Names(connection)
        changed = changes_in(connection, self._context.invoker, row, names, self._context.moment)
        then = followed_words(self._context, connection, row, now)
        card = build(self._context, row, names, lines, now, changes=changed, then=then)
        refs = tuple(ref.message for ref in row.card_refs if _shows(ref, row))
        old = tuple(self._old(connection, row, names, now))
        brought_down = any(ref.leaving for ref in row.card_refs)
        return Drawing(card, chat, None if brought_down else reply_to(connection, row, chat), refs, old)

    def _verbs(self, connection: sa.Connection, row: ApprovalRow, now: datetime) -> Iterator[Sequence[tuple[str, str]]]:
        """Yield each line's buttons: the verb and, if it needs one, its argument."""
        verbs = _OFFERED.get(State(row.state), ()) if row.state != State.APPROVED or may_undo(row) else ()
        if row.state == State.PENDING and unapprovable(self._context.invoker, row):
            verbs = (Verb.DENY,)
        yield [(verb, "") for verb in verbs]
        yield [(SEND_NOW, ""), (CHANGE_TIME, "")] if scheduled_for(row, now) is not None else []
        yield [(ALWAYS, "")] if is_offered(self._context, connection, row, now) else []
        yield self._follow_ups(connection, row, now)

    def _follow_ups(self, connection: sa.Connection, row: ApprovalRow, now: datetime) -> list[tuple[str, str]]:
        """Return the follow-ups that are possible for a finished act; their buttons expire."""
        until = fresh_until(self._context, row)
        if until is None:
            return []
        deletion = deletion_of(connection, row)
        if deletion is not None and deletion.state == State.APPROVED and may_undo(deletion):
            return [(KEEP, deletion.call_id)]
        possible = offered(self._context, connection, row, now)
        if possible:
            work.cancel(connection, CLOSE, row.approval_id)
            work.add(connection, CLOSE, row.approval_id, now=now, run_at=until)
        corrected = str(len(corrections_of(connection, row))) if possible else ""
        return [(what, corrected if what is FollowUpKind.CORRECT else "") for what in possible]

    def _old(
        self, connection: sa.Connection, row: ApprovalRow, names: Names, now: datetime
    ) -> Iterator[tuple[CardRef, Card]]:
        for ref in row.card_refs:
            if ref.retired or _shows(ref, row):
                continue
            here = (
                row if ref.revision == row.revision else version(connection, self._context.invoker, row, ref.revision)
            )
            if here is not None:
                changed = changes_in(connection, self._context.invoker, here, names, self._context.moment)
                card = build(self._context, here, names, [], now, changes=changed)
                yield ref, replaced(card, SHOWN_BELOW if here is row else REPLACED)


def _wait(connection: sa.Connection, drawing: Drawing, now: datetime) -> None:
    draw_when_open(connection, approvals.SHOW_CARD, drawing.card.approval_id, drawing.chat, now)


def keep_unseen(connection: sa.Connection, chat: str, why: Reason, now: datetime) -> None:
    """Queue one line for a closed chat, which brings all cards along once the owner writes again."""
    if not outbox.keeps(connection, chat):
        text = say("While I could not write to you, something came up that waits for your yes.")
        outbox.add_kept(connection, chat, OwnerMessage(text=plain(text)), why, now=now)


def learn_ref(connection: sa.Connection, approval_id: str, shown: CardRef) -> None:
    """Record that a message shows an approval."""
    row = approvals.get(connection, approval_id)
    if row is not None and not knows(row.card_refs, shown):
        approvals.set_card_refs(connection, approval_id, (*row.card_refs, shown))


def learn_pressed(connection: sa.Connection, press: Press, row: ApprovalRow) -> None:
    """Record a message from the tap on it, in case a crash kept it from being recorded."""
    tap = press.tap
    if tap.message_ref:
        shown = CardRef(row.revision, MessageRef(chat=tap.chat, message_ids=(tap.message_ref,)))
        if not knows(row.card_refs, shown):
            learn_ref(connection, row.approval_id, shown)


def _retire(connection: sa.Connection, approval_id: str, old: Sequence[CardRef]) -> None:
    """Record that these messages now say that they were replaced."""
    row = approvals.get(connection, approval_id)
    refs = row.card_refs if row else ()
    approvals.set_card_refs(connection, approval_id, (replace(ref, retired=ref.retired or ref in old) for ref in refs))


def _shows(ref: CardRef, row: ApprovalRow) -> bool:
    return ref.revision == row.revision and not ref.leaving


def knows(refs: Sequence[CardRef], shown: CardRef) -> bool:
    """Return whether a message is already recorded as showing an approval."""
    ids = set(shown.message.message_ids)
    return any(ref.message.chat == shown.message.chat and ids & set(ref.message.message_ids) for ref in refs)


def _is_for_the_owner(row: ApprovalRow) -> bool:
    # A call that passed without asking is reported once it has ended; until then the owner has nothing to do.
    if not passed(row) or row.card_refs or row.not_before is not None:
        return True
    # An act that a recurring rule began has its own message, which shows its progress.
    return row.state not in IN_FLIGHT and not (row.state == State.DONE and row.requested_by.startswith(BY_REPEAT))


def _is_shown_by_other(connection: sa.Connection, row: ApprovalRow) -> bool:
    """Return whether the original's card says everything about a deletion that went well, so that it needs no card."""
    if what_follows(row) is not FollowUpKind.DELETE or row.state in _TOLD_ALOUD or row.card_refs:
        return False
    return not was_asked_for(connection, row)


def _new_button(
    connection: sa.Connection, row: ApprovalRow, verb: str, argument: str, *, owner: str, chat: str, now: datetime
) -> Button:
    return new_button(
        connection,
        ButtonKind.APPROVAL,
        row.approval_id,
        row.revision,
        str(verb),
        say(CANCEL if verb == Verb.UNDO and scheduled_for(row, now) is not None else _LABELS[verb]),
        owner=owner,
        chat=chat,
        now=now,
        argument=argument,
    )


def reply_to(connection: sa.Connection, row: ApprovalRow, chat: str) -> str | None:
    """Return the message that requested the call, if it is in this chat."""
    asked = inbox.get(connection, row.requested_by)
    return asked[0].message_ref or None if asked and asked[0].chat == chat else None
