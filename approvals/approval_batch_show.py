"""Work handler: draws a digest card from its members. It is one message, edited until it has to move down the chat.

Then the card is sent anew, and the earlier message is deleted once the new one is recorded. A page counts as seen when
the channel has accepted it and its content has not changed meanwhile. A crash between sending a message and recording
it leads to a second message, and to a page that has to be shown again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from approvals import approval_batch_members
from approvals.approvable import unapprovable
from approvals.approval_batch_card import Place, item_card, moved_card, summary_card, utmost
from approvals.approval_batch_text import counts
from approvals.buttons import new_button
from approvals.context import Context
from approvals.people import Names
from approvals.show import NotPairedError, keep_unseen, reply_to
from approvals.transition import redraw
from approvals.versions import changes_in
from butler.contract.card import Button, Card, MessageRef
from butler.contract.errors import ChatClosedError
from butler.contract.reasons import of_error
from butler.contract.speech import say
from butler.store.queries import approval_batches
from butler.store.queries.approval_batches import ApprovalBatchRow
from butler.store.queries.approvals import ApprovalRow, CardRef
from butler.store.queries.buttons import ButtonKind


class ApprovalBatchVerb(StrEnum):
    """The verb of a digest card's button."""

    TURN = "turn"
    """Turn to the approval that the argument names."""
    APPROVE = "approve"
    DENY = "deny"
    """Deny the item on display; the argument names it and its revision."""
    APPROVE_ALL = "approve_all"
    DENY_ALL = "deny_all"
    """Deny all waiting items; the argument is the digest of their ids and revisions."""
    UNDO_ALL = "undo_all"
    """Take back all items in their undo window; the argument is their number."""


@dataclass(frozen=True, slots=True)
class ApprovalBatchDrawing:
    """A digest card with its buttons stored, and its destination. `item` is the waiting item on display, if any."""

    card: Card
    batch: ApprovalBatchRow
    item: ApprovalRow | None
    refs: tuple[MessageRef, ...]
    old: tuple[MessageRef, ...] = ()
    """Messages that the card leaves, to be deleted once it is delivered."""
    reply_to: str | None = None


class ApprovalBatchShower:
    """Handles `show_batch`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def show(self, batch_id: str) -> None:
        """Send or edit the digest card. Raises what the owner's channel raises."""
        now = self._context.clock.now()
        drawing = await self._context.store.write(lambda c: self._prepare(c, batch_id, now), "batch.draw")
        self._context.wake()
        if drawing is None:
            return
        try:
            await self._draw(drawing)
            await self._take_away(drawing)
        except ChatClosedError as closed:
            why = of_error(closed)
            await self._context.store.write(lambda c: keep_unseen(c, drawing.batch.chat, why, now), "batch.unseen")

    async def _draw(self, drawing: ApprovalBatchDrawing) -> None:
        channel = self._context.channel
        refs = drawing.refs or (await channel.show(drawing.batch.chat, drawing.card, drawing.reply_to),)
        for ref in drawing.refs:
            await channel.edit(ref, drawing.card)
        await self._context.store.write(lambda c: _drawn(c, drawing, refs), "batch.shown")

    async def _take_away(self, drawing: ApprovalBatchDrawing) -> None:
        channel = self._context.channel
        for ref in drawing.old:
            if not await channel.delete(ref):
                await channel.edit(ref, moved_card(drawing.batch))
        if drawing.old:
            await self._context.store.write(lambda c: _taken_away(c, drawing), "batch.moved")

    def _prepare(self, connection: sa.Connection, batch_id: str, now: datetime) -> ApprovalBatchDrawing | None:
        batch = approval_batches.get(connection, batch_id)
        if batch is None:
            return None
        if not self._context.owner_id():
            raise NotPairedError
        if approval_batch_members.is_drawn(batch):
            # Drawn already: the drawing for an earlier change included the later changes.
            return None
        item = self._item(connection, batch, now)
        if item is None and not approval_batch_members.standing(batch):
            approval_batch_members.stay(connection, batch)
        batch = approval_batches.get(connection, batch_id) or batch
        members = approval_batches.members(connection, batch_id)
        if item is None and not batch.card_refs and not approval_batch_members.in_undo_window(members):
            # All members were decided before they could be shown, and reported elsewhere: nothing to do here.
            return None
        names = Names(connection)
        waiting = approval_batch_members.waiting(members)
        refs = tuple(ref.message for ref in approval_batch_members.standing(batch))
        old = tuple(ref.message for ref in approval_batch_members.to_take_away(batch))
        held = frozenset(one.approval_id for one in waiting if unapprovable(self._context.invoker, one))
        maker = _Buttons(connection, batch, self._context.owner_id(), now, held)
        if item is None:
            card = summary_card(self._context, batch, members, names, maker.undo(members), now)
            return ApprovalBatchDrawing(card, batch, None, refs, old)
        with_this = replace(batch, seen={**batch.seen, item.approval_id: item.revision})
        unseen = approval_batch_members.unseen(with_this, waiting)
        at = [row.approval_id for row in waiting].index(item.approval_id)
        decided = counts([row for row in members if row not in waiting])
        place = Place(at + 1, len(waiting), len(unseen), decided)
        buttons = [*maker.turn(waiting, at), *maker.one(item), *([] if unseen else maker.all(waiting))]
        buttons += maker.undo(members)
        changed = changes_in(connection, self._context.invoker, item, names)
        card = item_card(self._context, item, names, place, buttons, now, changed)
        return ApprovalBatchDrawing(card, batch, item, refs, old, reply_to(connection, item, batch.chat))

    def _item(self, connection: sa.Connection, batch: ApprovalBatchRow, now: datetime) -> ApprovalRow | None:
        """Choose the item to display: the current one while it waits, else the next. Drop items that no longer fit."""
        names = Names(connection)
        members = approval_batches.members(connection, batch.batch_id)
        order = [row.approval_id for row in members]
        start = order.index(batch.showing) if batch.showing in order else 0
        for row in approval_batch_members.waiting([*members[start:], *members[:start]]):
            changed = changes_in(connection, self._context.invoker, row, names)
            card = item_card(self._context, row, names, utmost(), (), now, changed)
            if row.risk == batch.risk and self._context.channel.pages(card) == 1:
                if row.approval_id != batch.showing:
                    approval_batches.change(
                        connection, batch.batch_id, showing=row.approval_id, revision=batch.revision + 1
                    )
                return row
            approval_batch_members.leave(connection, batch, row, now)
            redraw(connection, row, now=now)
        return None


def _drawn(connection: sa.Connection, drawing: ApprovalBatchDrawing, refs: Sequence[MessageRef]) -> None:
    """Record the delivery: the messages show this version, and the owner could see the displayed item whole."""
    batch_id, item = drawing.batch.batch_id, drawing.item
    batch = approval_batches.get(connection, batch_id)
    if batch is None or batch.chat != drawing.batch.chat:
        # The chat has moved meanwhile; the card is drawn anew there.
        return
    approval_batch_members.learn_refs(connection, batch, [CardRef(drawing.batch.version, ref) for ref in refs])
    if item is None:
        return
    for row in approval_batch_members.waiting(approval_batches.members(connection, batch_id)):
        if (row.approval_id, row.revision, row.detail) == (item.approval_id, item.revision, item.detail):
            approval_batches.change(connection, batch_id, seen={**batch.seen, row.approval_id: row.revision})


def _taken_away(connection: sa.Connection, drawing: ApprovalBatchDrawing) -> None:
    """Record that the left messages are deleted. They stay known, since a tap on one may be on its way."""
    batch = approval_batches.get(connection, drawing.batch.batch_id)
    refs = batch.card_refs if batch else ()
    retired = (replace(ref, retired=ref.retired or ref.message in drawing.old) for ref in refs)
    approval_batches.change(connection, drawing.batch.batch_id, card_refs=retired)


@dataclass(frozen=True, slots=True)
class _Buttons:
    """Makes the buttons of one drawing, a line at a time."""

    connection: sa.Connection
    batch: ApprovalBatchRow
    owner: str
    now: datetime
    held: frozenset[str] = frozenset()
    """Approvals that cannot be approved as they are shown."""

    def turn(self, waiting: Sequence[ApprovalRow], at: int) -> list[tuple[Button, ...]]:
        if len(waiting) == 1:
            return []
        before, after = waiting[at - 1], waiting[(at + 1) % len(waiting)]
        turns = (("◀", before), ("▶", after))
        return [tuple(self._new(ApprovalBatchVerb.TURN, label, row.approval_id) for label, row in turns)]

    def one(self, item: ApprovalRow) -> list[tuple[Button, ...]]:
        which = f"{item.approval_id}:{item.revision}"
        deny = self._new(ApprovalBatchVerb.DENY, say("Deny this"), which)
        if item.approval_id in self.held:
            return [(deny,)]
        return [(self._new(ApprovalBatchVerb.APPROVE, say("Approve this"), which), deny)]

    def all(self, waiting: Sequence[ApprovalRow]) -> list[tuple[Button, ...]]:
        if len(waiting) == 1:
            return []
        which, count = approval_batch_members.digest_of(waiting), len(waiting)
        deny = self._new(ApprovalBatchVerb.DENY_ALL, say("Deny all {count}", count=count), which)
        if self.held & {one.approval_id for one in waiting}:
            return [(deny,)]
        return [(self._new(ApprovalBatchVerb.APPROVE_ALL, say("Approve all {count}", count=count), which), deny)]

    def undo(self, members: Sequence[ApprovalRow]) -> list[tuple[Button, ...]]:
        count = len(approval_batch_members.in_undo_window(members))
        label = say("Undo") if count == 1 else say("Undo all {count}", count=count)
        return [(self._new(ApprovalBatchVerb.UNDO_ALL, label, str(count)),)] if count else []

    def _new(self, verb: ApprovalBatchVerb, label: str, argument: str) -> Button:
        return new_button(
            self.connection,
            ButtonKind.BATCH,
            self.batch.batch_id,
            self.batch.revision,
            verb.value,
            label,
            owner=self.owner,
            chat=self.batch.chat,
            now=self.now,
            argument=argument,
        )
