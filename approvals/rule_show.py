"""Work handler: draws a rule's card, with buttons whose nonces are stored before they are shown.

Changes within a revision are on a card's last page, which is edited. A new revision may change every page: a card of
one message is edited whole, a longer one is sent anew and the old one deleted. A crash between sending a message and
recording it leads to a second message, whose buttons do the same.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial

import sqlalchemy as sa
import structlog

from approvals.buttons import new_button
from approvals.closed_chat import draw_when_open
from approvals.context import Context
from approvals.replay import replay
from approvals.rule_card import build
from approvals.show import NotPairedError
from approvals.widening import Option, options
from butler.contract.card import Button, Card, MessageRef
from butler.contract.errors import ChatClosedError
from butler.store.queries import rules
from butler.store.queries.approvals import ApprovalRow, CardRef
from butler.store.queries.buttons import ButtonKind
from butler.store.queries.rules import RuleRow, RuleState

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Drawing:
    """A rule's card with its buttons stored, its destination, and the messages that already show it."""

    card: Card
    chat: str
    reply_to: str | None
    refs: tuple[CardRef, ...]

    @property
    def current(self) -> tuple[MessageRef, ...]:
        return tuple(ref.message for ref in self.refs if ref.revision == self.card.revision)

    @property
    def old(self) -> tuple[MessageRef, ...]:
        return tuple(ref.message for ref in self.refs if ref.revision != self.card.revision)


class RuleShower:
    """Handles `show_rule`."""

    def __init__(self, context: Context) -> None:
        self._context = context

    async def show(self, rule_id: str) -> None:
        """Send or edit a rule's card; in a closed chat, edit it once the chat opens. Raises other channel errors."""
        now = self._context.clock.now()
        drawing = await self._context.store.write(lambda c: self._prepare(c, rule_id, now), "rule.draw")
        if drawing is None:
            return
        try:
            await self._draw(rule_id, drawing)
        except ChatClosedError as closed:
            log.info("rule_not_shown", rule=rule_id, why=closed.detail)
            if drawing.refs:
                wait = partial(draw_when_open, kind=rules.SHOW_RULE, subject=rule_id, chat=drawing.chat, now=now)
                await self._context.store.write(wait, "rule.waits")
            # A proposal that is never seen is never saved, and is dropped in time.

    async def _draw(self, rule_id: str, drawing: Drawing) -> None:
        channel = self._context.channel
        for ref in drawing.current:
            await channel.edit(ref, drawing.card)
        if drawing.current:
            await self._take_away(rule_id, drawing)
            return
        fits = channel.pages(drawing.card) == 1 and all(len(ref.message_ids) == 1 for ref in drawing.old)
        if fits and drawing.old:
            for ref in drawing.old:
                await channel.edit(ref, drawing.card)
            await self._note(rule_id, tuple(CardRef(drawing.card.revision, ref) for ref in drawing.old))
            return
        shown = await channel.show(drawing.chat, drawing.card, drawing.reply_to)
        drawing = replace(drawing, refs=(*drawing.refs, CardRef(drawing.card.revision, shown)))
        await self._note(rule_id, drawing.refs)
        await self._take_away(rule_id, drawing)

    async def _take_away(self, rule_id: str, drawing: Drawing) -> None:
        """Delete the cards of earlier revisions from the chat."""
        for ref in drawing.old:
            await self._context.channel.delete(ref)
        if drawing.old:
            await self._note(rule_id, tuple(ref for ref in drawing.refs if ref.revision == drawing.card.revision))

    async def _note(self, rule_id: str, refs: Sequence[CardRef]) -> None:
        await self._context.store.write(lambda c: rules.set_card_refs(c, rule_id, refs), "rule.shown")

    def _prepare(self, connection: sa.Connection, rule_id: str, now: datetime) -> Drawing | None:
        rule = rules.get(connection, rule_id)
        if rule is None or rule.repeats:
            # The card on which a recurring rule was approved has shown it.
            return None
        owner, chat = self._context.owner_id(), self._context.chat_of(rule.chat)
        if not owner or not chat:
            raise NotPairedError
        waits = rule.state == RuleState.DRAFT
        found = replay(self._context, connection, rule, now) if rule.state in _PROPOSALS else None
        lines = options(self._context, connection, rule, now) if waits else ()
        offered = [_line(connection, rule, line, owner, chat, now) for line in lines]
        card = build(self._context, connection, rule, found, offered)
        return Drawing(card, chat, _reply_to(rules.origin(connection, rule), chat), rule.card_refs)


def _line(
    connection: sa.Connection, rule: RuleRow, line: Sequence[Option], owner: str, chat: str, now: datetime
) -> tuple[Button, ...]:
    kind, subject, revision = ButtonKind.RULE, rule.rule_id, rule.revision
    return tuple(
        new_button(
            connection,
            kind,
            subject,
            revision,
            option.verb,
            option.label,
            owner=owner,
            chat=chat,
            now=now,
            argument=option.argument,
        )
        for option in line
    )


_PROPOSALS = frozenset({RuleState.DRAFT, RuleState.DROPPED})


def _reply_to(row: ApprovalRow, chat: str) -> str | None:
    """Return the card that the rule is proposed from."""
    shown = row.card_refs[-1].message if row.card_refs else None
    return shown.message_ids[-1] if shown and shown.chat == chat else None
