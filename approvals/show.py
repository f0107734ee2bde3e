"""Work handler: draw a card as its row stands, with buttons whose nonces are stored before anybody sees them.

The first drawing of a revision sends a message, every later one edits it. A crash between the message and its note
leads to a second message; the buttons of both are good until one is used.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

import sqlalchemy as sa

from approvals.buttons import new_button
from approvals.card import build
from approvals.context import Context
from approvals.people import Names
from approvals.states import State, Verb
from approvals.transition import IN_FLIGHT
from approvals.words import passed
from butler.contract.card import Button, Card, MessageRef, OwnerMessage, plain
from butler.contract.errors import ChatClosedError, Retryable
from butler.store.queries import approvals, inbox, outbox
from butler.store.queries.approvals import ApprovalRow, CardRef
from butler.store.queries.buttons import ButtonKind

_LABELS = {
    Verb.APPROVE: "Approve",
    Verb.DENY: "Deny",
    Verb.UNDO: "Undo",
    Verb.MARK_DONE: "It was done",
    Verb.MARK_FAILED: "It was not done",
}
_OFFERED = {
    State.PENDING: (Verb.APPROVE, Verb.DENY),
    State.APPROVED: (Verb.UNDO,),
    State.UNKNOWN: (Verb.MARK_DONE, Verb.MARK_FAILED),
}


class NotPairedError(Retryable):
    """There is no chat to show this in before the owner is paired."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A card with its buttons stored, and where it has to go."""

    card: Card
    chat: str
    reply_to: str | None
    refs: tuple[MessageRef, ...]


class CardShower:
    """Handles `show_card`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def show(self, approval_id: str) -> None:
        """Send or edit the card. Raises what the owner's channel raises."""
        now = self._context.clock.now()
        drawing = await self._context.store.write(lambda c: self._prepare(c, approval_id, now), "approval.draw")
        if drawing is None:
            return
        channel = self._context.channel
        for ref in drawing.refs:
            await channel.edit(ref, drawing.card)
        if drawing.refs:
            return
        try:
            ref = await channel.show(drawing.chat, drawing.card, drawing.reply_to)
        except ChatClosedError as closed:
            why = closed.detail
            await self._context.store.write(lambda c: _keep(c, approval_id, drawing.chat, why, now), "approval.unseen")
            return
        shown = CardRef(drawing.card.revision, ref)
        await self._context.store.write(lambda c: learn_ref(c, approval_id, shown), "approval.shown")

    def _prepare(self, connection: sa.Connection, approval_id: str, now: datetime) -> Drawing | None:
        row = approvals.get(connection, approval_id)
        if row is None or not _is_for_the_owner(row):
            return None
        chat = self._context.chat_of(row.chat)
        owner = self._context.owner_id()
        if not chat or not owner:
            raise NotPairedError
        verbs = _OFFERED.get(State(row.state), ())
        line = tuple(_new_button(connection, row, verb, owner=owner, chat=chat, now=now) for verb in verbs)
        card = build(self._context, row, Names(connection), [line] if line else [], now)
        refs = tuple(ref.message for ref in row.card_refs if ref.revision == row.revision)
        return Drawing(card, chat, _reply_to(connection, row, chat), refs)


def _keep(connection: sa.Connection, approval_id: str, chat: str, why: str, now: datetime) -> None:
    """The chat is closed: a line waits there that brings the card along once the owner writes again."""
    message = OwnerMessage(text=plain("While I could not write to you, something came up that waits for your yes."))
    message_id = outbox.add(connection, chat, message, now=now, dedup_key=f"unseen:{approval_id}")
    if message_id is not None:
        outbox.keep(connection, message_id, why)


def learn_ref(connection: sa.Connection, approval_id: str, shown: CardRef) -> None:
    """Note that a message shows an approval."""
    row = approvals.get(connection, approval_id)
    if row is not None and not _knows(row.card_refs, shown):
        approvals.set_card_refs(connection, approval_id, (*row.card_refs, shown))


def _knows(refs: Sequence[CardRef], shown: CardRef) -> bool:
    ids = set(shown.message.message_ids)
    return any(ref.message.chat == shown.message.chat and ids & set(ref.message.message_ids) for ref in refs)


def _is_for_the_owner(row: ApprovalRow) -> bool:
    # What passed without a question is told once it has ended; until then nobody has to do anything about it.
    return not passed(row) or row.state not in IN_FLIGHT or bool(row.card_refs)


def _new_button(
    connection: sa.Connection, row: ApprovalRow, verb: Verb, *, owner: str, chat: str, now: datetime
) -> Button:
    kind, label = ButtonKind.APPROVAL, _LABELS[verb]
    return new_button(
        connection, kind, row.approval_id, row.revision, verb.value, label, owner=owner, chat=chat, now=now
    )


def _reply_to(connection: sa.Connection, row: ApprovalRow, chat: str) -> str | None:
    asked = inbox.get(connection, row.requested_by)
    return asked[0].message_ref or None if asked and asked[0].chat == chat else None
