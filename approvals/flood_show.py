"""Work handler: draw a digest card as its members stand. It is one message, edited until it has to come down.

Then it is sent anew, and the message before is taken away once the new one is noted. A page counts as seen when the
channel has taken it and what it showed has not changed meanwhile. A crash between the message and its note leads to a
second message, and to a page that has to be shown again.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import StrEnum

import sqlalchemy as sa

from approvals import floods as flooded
from approvals.buttons import new_button
from approvals.context import Context
from approvals.flood_card import Place, item_card, moved_card, summary_card, utmost
from approvals.flood_words import counts
from approvals.people import Names
from approvals.show import NotPairedError, keep_unseen, reply_to
from approvals.transition import redraw
from approvals.versions import changes_in
from approvals.worded import unapprovable
from butler.contract.card import Button, Card, MessageRef
from butler.contract.errors import ChatClosedError
from butler.contract.speech import say
from butler.store.queries import floods
from butler.store.queries.approvals import ApprovalRow, CardRef
from butler.store.queries.buttons import ButtonKind
from butler.store.queries.floods import FloodRow


class FloodVerb(StrEnum):
    """What a button of a digest card does."""

    TURN = "turn"
    """To the approval that the argument names."""
    APPROVE = "approve"
    DENY = "deny"
    """The one that is shown; the argument names it and its revision."""
    APPROVE_ALL = "approve_all"
    DENY_ALL = "deny_all"
    """All that wait; the argument is the digest of who they are."""
    UNDO_ALL = "undo_all"
    """All that are in their undo window; the argument is how many there were."""


@dataclass(frozen=True, slots=True)
class FloodDrawing:
    """A digest card with its buttons stored, and where it has to go. `item` is what it shows, if anything waits."""

    card: Card
    flood: FloodRow
    item: ApprovalRow | None
    refs: tuple[MessageRef, ...]
    old: tuple[MessageRef, ...] = ()
    """Messages that it leaves, to be taken away once it stands."""
    reply_to: str | None = None


class FloodShower:
    """Handles `show_flood`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def show(self, flood_id: str) -> None:
        """Send or edit the digest card. Raises what the owner's channel raises."""
        now = self._context.clock.now()
        drawing = await self._context.store.write(lambda c: self._prepare(c, flood_id, now), "flood.draw")
        self._context.wake()
        if drawing is None:
            return
        try:
            await self._draw(drawing)
            await self._take_away(drawing)
        except ChatClosedError as closed:
            why = closed.detail
            await self._context.store.write(lambda c: keep_unseen(c, drawing.flood.chat, why, now), "flood.unseen")

    async def _draw(self, drawing: FloodDrawing) -> None:
        channel = self._context.channel
        refs = drawing.refs or (await channel.show(drawing.flood.chat, drawing.card, drawing.reply_to),)
        for ref in drawing.refs:
            await channel.edit(ref, drawing.card)
        await self._context.store.write(lambda c: _drawn(c, drawing, refs), "flood.shown")

    async def _take_away(self, drawing: FloodDrawing) -> None:
        channel = self._context.channel
        for ref in drawing.old:
            if not await channel.delete(ref):
                await channel.edit(ref, moved_card(drawing.flood))
        if drawing.old:
            await self._context.store.write(lambda c: _taken_away(c, drawing), "flood.moved")

    def _prepare(self, connection: sa.Connection, flood_id: str, now: datetime) -> FloodDrawing | None:
        flood = floods.get(connection, flood_id)
        if flood is None:
            return None
        if not self._context.owner_id():
            raise NotPairedError
        if flooded.is_drawn(flood):
            # Drawn already: what has changed since was drawn by the row of an earlier change.
            return None
        item = self._item(connection, flood, now)
        if item is None and not flooded.standing(flood):
            flooded.stay(connection, flood)
        flood = floods.get(connection, flood_id) or flood
        members = floods.members(connection, flood_id)
        if item is None and not flood.card_refs and not flooded.in_undo_window(members):
            # It was all decided before it could be shown, and told elsewhere: there is nothing to do here.
            return None
        names = Names(connection)
        waiting = flooded.waiting(members)
        refs = tuple(ref.message for ref in flooded.standing(flood))
        old = tuple(ref.message for ref in flooded.to_take_away(flood))
        held = frozenset(one.approval_id for one in waiting if unapprovable(self._context.invoker, one))
        maker = _Buttons(connection, flood, self._context.owner_id(), now, held)
        if item is None:
            card = summary_card(self._context, flood, members, names, maker.undo(members), now)
            return FloodDrawing(card, flood, None, refs, old)
        with_this = replace(flood, seen={**flood.seen, item.approval_id: item.revision})
        unseen = flooded.unseen(with_this, waiting)
        at = [row.approval_id for row in waiting].index(item.approval_id)
        decided = counts([row for row in members if row not in waiting])
        place = Place(at + 1, len(waiting), len(unseen), decided)
        buttons = [*maker.turn(waiting, at), *maker.one(item), *([] if unseen else maker.all(waiting))]
        buttons += maker.undo(members)
        changed = changes_in(connection, self._context.invoker, item, names)
        card = item_card(self._context, item, names, place, buttons, now, changed)
        return FloodDrawing(card, flood, item, refs, old, reply_to(connection, item, flood.chat))

    def _item(self, connection: sa.Connection, flood: FloodRow, now: datetime) -> ApprovalRow | None:
        """What to show: what is on display while it waits, else what comes after it. What no longer fits leaves."""
        names = Names(connection)
        members = floods.members(connection, flood.flood_id)
        order = [row.approval_id for row in members]
        start = order.index(flood.showing) if flood.showing in order else 0
        for row in flooded.waiting([*members[start:], *members[:start]]):
            changed = changes_in(connection, self._context.invoker, row, names)
            card = item_card(self._context, row, names, utmost(), (), now, changed)
            if row.risk == flood.risk and self._context.channel.pages(card) == 1:
                if row.approval_id != flood.showing:
                    floods.change(connection, flood.flood_id, showing=row.approval_id, revision=flood.revision + 1)
                return row
            flooded.leave(connection, flood, row, now)
            redraw(connection, row, now=now)
        return None


def _drawn(connection: sa.Connection, drawing: FloodDrawing, refs: Sequence[MessageRef]) -> None:
    """The channel has taken it: its messages show this version, and the owner could see this item whole."""
    flood_id, item = drawing.flood.flood_id, drawing.item
    flood = floods.get(connection, flood_id)
    if flood is None or flood.chat != drawing.flood.chat:
        # The chat has moved meanwhile; it is drawn anew there.
        return
    flooded.learn_refs(connection, flood, [CardRef(drawing.flood.version, ref) for ref in refs])
    if item is None:
        return
    for row in flooded.waiting(floods.members(connection, flood_id)):
        if (row.approval_id, row.revision, row.detail) == (item.approval_id, item.revision, item.detail):
            floods.change(connection, flood_id, seen={**flood.seen, row.approval_id: row.revision})


def _taken_away(connection: sa.Connection, drawing: FloodDrawing) -> None:
    """The messages that it left show nothing any more. They stay known: a tap may be on its way from there."""
    flood = floods.get(connection, drawing.flood.flood_id)
    refs = flood.card_refs if flood else ()
    retired = (replace(ref, retired=ref.retired or ref.message in drawing.old) for ref in refs)
    floods.change(connection, drawing.flood.flood_id, card_refs=retired)


@dataclass(frozen=True, slots=True)
class _Buttons:
    """Makes the buttons of one drawing, a line at a time."""

    connection: sa.Connection
    flood: FloodRow
    owner: str
    now: datetime
    held: frozenset[str] = frozenset()
    """Approvals that nobody can say yes to as they are shown."""

    def turn(self, waiting: Sequence[ApprovalRow], at: int) -> list[tuple[Button, ...]]:
        if len(waiting) == 1:
            return []
        before, after = waiting[at - 1], waiting[(at + 1) % len(waiting)]
        turns = (("◀", before), ("▶", after))
        return [tuple(self._new(FloodVerb.TURN, label, row.approval_id) for label, row in turns)]

    def one(self, item: ApprovalRow) -> list[tuple[Button, ...]]:
        which = f"{item.approval_id}:{item.revision}"
        deny = self._new(FloodVerb.DENY, say("Deny this"), which)
        if item.approval_id in self.held:
            return [(deny,)]
        return [(self._new(FloodVerb.APPROVE, say("Approve this"), which), deny)]

    def all(self, waiting: Sequence[ApprovalRow]) -> list[tuple[Button, ...]]:
        if len(waiting) == 1:
            return []
        which, count = flooded.digest_of(waiting), len(waiting)
        deny = self._new(FloodVerb.DENY_ALL, say("Deny all {count}", count=count), which)
        if self.held & {one.approval_id for one in waiting}:
            return [(deny,)]
        return [(self._new(FloodVerb.APPROVE_ALL, say("Approve all {count}", count=count), which), deny)]

    def undo(self, members: Sequence[ApprovalRow]) -> list[tuple[Button, ...]]:
        count = len(flooded.in_undo_window(members))
        label = say("Undo") if count == 1 else say("Undo all {count}", count=count)
        return [(self._new(FloodVerb.UNDO_ALL, label, str(count)),)] if count else []

    def _new(self, verb: FloodVerb, label: str, argument: str) -> Button:
        return new_button(
            self.connection,
            ButtonKind.FLOOD,
            self.flood.flood_id,
            self.flood.revision,
            verb.value,
            label,
            owner=self.owner,
            chat=self.flood.chat,
            now=self.now,
            argument=argument,
        )
