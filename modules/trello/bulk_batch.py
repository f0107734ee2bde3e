"""Executes a batch of cards: reads their current state, then makes one request per card, a few at a time.

The current state is read list by list in few requests, since most cards of a batch are in the same list.
"""

import asyncio
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from butler.contract.bulk import BatchUnclearError, BulkItem, BulkResult
from butler.contract.bulk_adapter import batch_fault
from butler.contract.errors import Effect, IntegrationErrorCode
from butler.contract.integration import IntegrationError
from butler.contract.speech import phrase, say
from modules.trello import records as r
from modules.trello.account_calls import Account, NotDoneError
from modules.trello.bulk_actions import CardAction
from modules.trello.bulk_card_acts import THEIRS, CardAct
from modules.trello.card_query import A_SECOND, made_at

AT_ONCE = 4
GONE = phrase("it is no longer there")
UNDONE = phrase("Trello gave no answer, and it is not done")
_OF_THE_CARD = frozenset(
    {
        IntegrationErrorCode.FORBIDDEN,
        IntegrationErrorCode.NOT_FOUND,
        IntegrationErrorCode.REJECTED,
        IntegrationErrorCode.CONFLICT,
        IntegrationErrorCode.INVALID_INPUT,
    }
)
"""Errors of a single card, which say nothing about the others."""


async def as_they_are(account: Account, act: CardAct, items: Sequence[BulkItem]) -> dict[str, r.Card]:
    """Return the cards' current state by id, without those out of reach. Raise `NotDoneError`."""
    lists: defaultdict[str, list[str]] = defaultdict(list)
    for item in items:
        lists[act.where(item.raw_data or {})].append(item.id)
    found: dict[str, r.Card] = {}
    for list_id, ids in lists.items():
        if list_id and len(ids) > 1:
            found |= await _in_list(account, list_id, ids)
    for item in items:
        if item.id not in found and (card := await _seen(account, item.id)) is not None:
            found[item.id] = card
    return found


async def _seen(account: Account, card_id: str) -> r.Card | None:
    """Return a card; None if it no longer exists, or is on a board that the owner may not see."""
    try:
        return await account.card(card_id)
    except NotDoneError as failure:
        if failure.error.code is IntegrationErrorCode.FORBIDDEN:
            return None
        raise


async def _in_list(account: Account, list_id: str, ids: Sequence[str]) -> dict[str, r.Card]:
    """Return those of the cards that one answer about their list holds; none if the list no longer exists."""
    made = sorted(map(made_at, ids))
    asked = {"id": list_id, "filter": "all", "since": made[0], "before": made[-1] + A_SECOND}
    try:
        cards = (await account.ask(r.CARDS, r.Cards, asked)).cards
    except NotDoneError as failure:
        if failure.error.code in _OF_THE_CARD:
            return {}
        raise
    return {card.id: card for card in cards if card.id in ids}


@dataclass
class Batch:
    """Acts on cards, a few at a time, until an error concerns all of them."""

    account: Account
    act: CardAct
    slots: asyncio.Semaphore = field(init=False)
    trouble: IntegrationError | None = None
    begun: bool = False
    """Whether something may have been done."""

    def __post_init__(self) -> None:
        # Each goes below the previous one, so that they keep their order.
        self.slots = asyncio.Semaphore(1 if self.act.action is CardAction.MOVE and not self.act.back else AT_ONCE)

    async def run(self, items: Sequence[BulkItem], cards: dict[str, r.Card]) -> list[BulkResult]:
        """Return one result per item. Raise the fault that an error means for the whole batch, which may be retried."""
        results = await asyncio.gather(*(self._one(item, cards.get(item.id)) for item in items))
        if self.trouble is None:
            return [result for result in results if result is not None]
        fault = batch_fault(self.trouble)
        if self.begun and self.trouble.code is not IntegrationErrorCode.AUTH_REQUIRED:
            raise BatchUnclearError(self.trouble.message)
        raise fault

    async def _one(self, item: BulkItem, card: r.Card | None) -> BulkResult | None:
        async with self.slots:
            if self.trouble is not None:
                return None
            known = item.raw_data or {}
            if self.act.back and known.get(THEIRS):
                return BulkResult(item.id, success=True)
            if card is None:
                return BulkResult(item.id, success=False, error=say(GONE))
            if self.act.is_so(card, known):
                return BulkResult(item.id, success=True)
            if why := self.act.changed(card, known):
                return self._failed(card, why)
            return await self._do(card, known)

    async def _do(self, card: r.Card, known: dict[str, object]) -> BulkResult | None:
        try:
            after = await self.act.do(self.account, card, known)
        except NotDoneError as failure:
            return await self._verify(card, known, failure.error)
        self.begun = True
        return self._done(card, after)

    async def _verify(self, card: r.Card, known: dict[str, object], error: IntegrationError) -> BulkResult | None:
        """Return the result of a card whose request failed, after reading the card again."""
        unclear = error.effect is not Effect.NONE
        self.begun = self.begun or unclear
        if error.code not in _OF_THE_CARD and not unclear:
            self.trouble = error
            return None
        try:
            now = await _seen(self.account, card.id)
        except NotDoneError as failure:
            self.trouble = failure.error
            return None
        if now is None:
            return BulkResult(card.id, success=False, error=say(GONE))
        if self.act.is_so(now, known):
            return self._done(card, now)
        return self._failed(now, say(UNDONE) if unclear else error.message)

    def _done(self, card: r.Card, after: r.Card | None) -> BulkResult:
        # When undoing, the former state is known already.
        data = None if self.act.back else self.act.kept(card, after)
        return BulkResult(card.id, success=True, data=data)

    def _failed(self, card: r.Card, why: str) -> BulkResult:
        # A retry has to start from the card's current state.
        data = None if self.act.back else self.act.kept(card)
        return BulkResult(card.id, success=False, error=why, data=data)
