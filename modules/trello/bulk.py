"""Bulk actions on cards of the owner's boards. Trello has no request for several cards, so each takes its own.

A listing finds only cards that the action would still change. A card's former state is stored from the listing on, for
undoing; a change that somebody made meanwhile is not overwritten.
"""

from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any, TypeVar
from zoneinfo import ZoneInfo

from butler.contract.bulk import (
    NOT_SET_UP,
    BulkDetail,
    BulkItem,
    BulkLimits,
    BulkResult,
    BulkToolAdapter,
    BulkWords,
    PreparedBulkContext,
)
from butler.contract.bulk_adapter import batch_fault, counted, metadata_of, ordered
from butler.contract.errors import Reconfigure
from butler.contract.ports import Clock
from butler.contract.speech import say, say_date
from modules.trello import records as r
from modules.trello.account_calls import Account, NotDoneError
from modules.trello.bulk_actions import OPPOSITE, CardAction, words_of
from modules.trello.bulk_args import (
    CardSelection,
    DueSelection,
    LabelSelection,
    MoveSelection,
    PersonSelection,
)
from modules.trello.bulk_batch import Batch, as_they_are
from modules.trello.bulk_card_acts import THEIRS, CardAct
from modules.trello.bulk_params import know_labels, make_ready, params_of
from modules.trello.card_query import CardQuery, ListPosition, every_card, next_page, query_of, scope
from modules.trello.integration_trello import TrelloIntegration
from modules.trello.naming import card_ref
from modules.trello.resolved_names import ResolvedNames

T = TypeVar("T")
_CLOCKS = timedelta(hours=1)
"""How much Trello's clock may differ from ours."""
PAGE, BATCH = r.MOST_LISTED, 25
MODELS: Mapping[CardAction, type[CardSelection]] = {
    CardAction.MOVE: MoveSelection,
    CardAction.ARCHIVE: CardSelection,
    CardAction.UNARCHIVE: CardSelection,
    CardAction.LABEL: LabelSelection,
    CardAction.UNLABEL: LabelSelection,
    CardAction.ASSIGN: PersonSelection,
    CardAction.UNASSIGN: PersonSelection,
    CardAction.DUE: DueSelection,
}
"""The selection that each action's tool takes."""


class TrelloBulkAdapter(BulkToolAdapter):
    """The owner's Trello accounts, by name; the first is the default one."""

    def __init__(self, accounts: Mapping[str, TrelloIntegration], clock: Clock, zone: ZoneInfo) -> None:
        self._accounts, self._clock, self._zone = accounts, clock, zone

    @property
    def tool_name(self) -> str:
        return "trello"

    def limits(self, context: PreparedBulkContext) -> BulkLimits:
        return BulkLimits(PAGE, BATCH, listed_while_open="query" in context.query_params)

    def words(self, context: PreparedBulkContext) -> BulkWords:
        act = CardAct.of(context)
        return replace(words_of(act.action, back=act.back), meant=_meant(context).summary())

    def inverse(self, context: PreparedBulkContext) -> PreparedBulkContext | None:
        action = CardAction(context.action)
        turned = {**context.action_params, "back": not context.action_params.get("back")}
        # The cards are known by their ids, so that no query could find others.
        return replace(
            context, action=OPPOSITE.get(action, action).value, query_params={"ids": []}, action_params=turned
        )

    # The order

    async def prepare(self, params: dict[str, Any]) -> PreparedBulkContext:
        action, selection, name = ordered(params, CardAction, MODELS.__getitem__, self._accounts)
        context = PreparedBulkContext(self.tool_name, action.value, {}, {}, {"account": name})
        await _asked(self._resolve(context, action, selection))
        return context

    async def _resolve(self, context: PreparedBulkContext, action: CardAction, said: CardSelection) -> None:
        account, meant = self._account(context), _meant(context)
        if said.cards:
            context.query_params["ids"] = [card_ref(card) for card in said.cards]
            boards = await account.boards()
        else:
            where = await scope(account, said, meant)
            boards, now = where[0], self._clock.now()
            archived = action is CardAction.UNARCHIVE
            query = await query_of(
                account, said, where, meant, zone=self._zone, now=now, archived=archived, keep=said.keep
            )
            context.query_params["query"] = query.model_dump(mode="json")
        context.action_params.update(await params_of(account, action, said, boards, self._zone, meant))

    # Which cards

    async def get_total_count(self, context: PreparedBulkContext) -> int:
        return await counted(self, context)

    async def get_next_batch(self, context: PreparedBulkContext, batch_size: int, offset: int = 0) -> list[BulkItem]:
        place = metadata_of(context)
        if offset == 0:
            place.setdefault("listed", self._clock.now().isoformat())
            place["again"] = place.get("spot", "") is None
        if offset == 0 or place.get("at") != offset:
            place |= {"at": 0, "spot": ListPosition().model_dump(mode="json"), "skip": 0}
        # Trello has no offsets: cards before an offset that was not reached by paging are skipped.
        while place["at"] < offset and place["spot"] is not None:
            await _asked(self._page(context, min(PAGE, offset - place["at"])))
        while place["spot"] is not None:
            if items := await _asked(self._page(context, batch_size)):
                return items
        return []

    async def _page(self, context: PreparedBulkContext, size: int) -> list[BulkItem]:
        """Return the next items, and store the position after them; an empty page is not necessarily the last."""
        place, act = metadata_of(context), CardAct.of(context)
        spot, skip = ListPosition.model_validate(place["spot"]), int(place["skip"])
        if "query" in context.query_params:
            query = CardQuery.model_validate(context.query_params["query"])
            cards, following = await next_page(self._account(context), query, spot)
        else:
            cards, following = await self._named(context, spot, min(size, BATCH))
        cards = [card for card in await self._with_targets(context, act, cards) if not act.is_so(card, {})]
        found, left = cards[skip : skip + size], skip + size < len(cards)
        if not left:
            place["spot"] = following.model_dump(mode="json") if following else None
        place |= {"at": place["at"] + len(found), "skip": skip + size if left else 0}
        return [BulkItem(card.id, card.name, act.kept(card)) for card in found]

    async def _with_targets(self, context: PreparedBulkContext, act: CardAct, cards: list[r.Card]) -> list[r.Card]:
        """Find the action's targets on each card's board; raise `ValueError` if a board has none."""
        account = self._account(context)
        if act.action in {CardAction.LABEL, CardAction.UNLABEL}:
            await know_labels(account, act.params, {card.board_id for card in cards}, _meant(context))
        if act.action is not CardAction.MOVE:
            return cards
        without = {card.board_id for card in cards if not act.target(card.board_id)}
        if without and not metadata_of(context)["again"]:
            board = next((one.name for one in await account.boards() if one.id in without), "")
            name = act.params["name"]
            raise ValueError(say("the board {board} has no list {name}; say to which board", board=board, name=name))
        # Cards that came to such a board later are not part of the run.
        return [card for card in cards if card.board_id not in without]

    async def _named(
        self, context: PreparedBulkContext, spot: ListPosition, size: int
    ) -> tuple[list[r.Card], ListPosition | None]:
        """Return the next named cards that exist, and the position after them."""
        account, every = self._account(context), context.query_params["ids"]
        after = spot.at + size
        found = [await account.card(one) for one in every[spot.at : after]]
        return [card for card in found if card is not None], ListPosition(at=after) if after < len(every) else None

    async def meanwhile(self, context: PreparedBulkContext) -> Sequence[BulkItem]:
        return await _asked(self._others_did(context))

    async def _others_did(self, context: PreparedBulkContext) -> list[BulkItem]:
        """Return cards that somebody else brought into the wanted state meanwhile, which the run must not undo."""
        account, act = self._account(context), CardAct.of(context)
        if "query" in context.query_params:
            query = CardQuery.model_validate(context.query_params["query"])
            since = datetime.fromisoformat(metadata_of(context)["listed"]) - _CLOCKS
            found = [card async for card in every_card(account, act.done_ones(query)) if _is_recent(card, since)]
        else:
            found, _ = await self._named(context, ListPosition(), len(context.query_params["ids"]))
        return [BulkItem(card.id, card.name, {THEIRS: True}) for card in found if act.is_so(card, {})]

    async def sample(self, items: Sequence[BulkItem], context: PreparedBulkContext) -> Sequence[BulkDetail]:
        boards = await _asked(self._account(context).boards())
        names = {one.id: one.name for board in boards for one in board.lists}
        return [self._detail(item, names) for item in items]

    def _detail(self, item: BulkItem, names: Mapping[str, str]) -> BulkDetail:
        known = item.raw_data or {}
        name, due = item.display_name, known.get("due")
        if due:
            day = say_date(datetime.fromisoformat(due).astimezone(self._zone).date())
            name = say("{card}, due {day}", card=name, day=day)
        return BulkDetail(name, names.get(known.get("list", ""), ""), item_id=item.id)

    # Execution

    async def execute_batch(self, items: list[BulkItem], context: PreparedBulkContext) -> list[BulkResult]:
        account, act = self._account(context), CardAct.of(context)
        cards = await _asked(as_they_are(account, act, items))
        await _asked(make_ready(account, act, cards.values()))
        return await Batch(account, act).run(items, cards)

    # Calls to Trello

    def _account(self, context: PreparedBulkContext) -> Account:
        integration = self._accounts.get(str(metadata_of(context)["account"]))
        if integration is None:
            raise Reconfigure(say(NOT_SET_UP))
        return Account(integration, f"bulk-{context.action}")


async def _asked(request: Coroutine[Any, Any, T]) -> T:
    """Await the request; raise the fault that a failure means for the whole batch."""
    try:
        return await request
    except NotDoneError as failure:
        raise batch_fault(failure.error) from failure


def _is_recent(card: r.Card, since: datetime) -> bool:
    return not card.activity or datetime.fromisoformat(card.activity) >= since


def _meant(context: PreparedBulkContext) -> ResolvedNames:
    return ResolvedNames(metadata_of(context).setdefault("meant", {}))
