"""Polls the owner's boards: their cards, and the actions on them.

A board is fetched in full once; after that, its log shows which cards to read again. A log entry about a list may
concern any of its cards, and a board with very many changes is fetched in full again. All requests share the account's
rate limit with those of tools. `docs/explanation/polling.md` says what all such sources share.
"""

from collections.abc import Sequence
from typing import Any, TypeVar

import structlog
from pydantic import BaseModel

from butler.contract.errors import IntegrationErrorCode
from butler.contract.module import ModuleContext
from butler.contract.polled import AllOf, Polled, PolledKind, Teller
from butler.contract.polling import PollError, PollStep, asked
from modules.trello import records as r
from modules.trello.change_events import CHANNEL, BoardActions
from modules.trello.integration_trello import TrelloIntegration

log = structlog.get_logger(__name__)

MOST_CARDS = 20
"""Cards that are read one by one; if more have changed, the whole board is fetched."""
OVERLAP_S = 5
"""Log entries may become visible slightly out of order, so that many seconds of the log are read again."""
_TIMEOUT_MS = 120_000
_OF_LISTS = frozenset({"updateList", "moveListToBoard", "moveListFromBoard", "updateBoard"})
_LOST = frozenset({IntegrationErrorCode.NOT_FOUND, IntegrationErrorCode.FORBIDDEN})
T = TypeVar("T", bound=BaseModel)


class Read(BaseModel):
    """How far a board's log has been read: the newest entries, as far as they are read again."""

    newest: list[str] = []


class SyncPosition(BaseModel):
    """An account's position, by board."""

    boards: dict[str, Read] = {}


class TrelloPoll:
    """Polls one account. Implements `Poll`."""

    def __init__(self, account: str, integration: TrelloIntegration, context: ModuleContext) -> None:
        self._account, self._integration, self._context = account, integration, context
        self._cursor = f"trello.user.{account}"

    @property
    def progress(self) -> str:
        return ""

    async def step(self) -> PollStep:
        """Poll each open board; each is stored separately."""
        stored = await self._context.storage.cursors.get(self._cursor)
        standing = SyncPosition.model_validate_json(stored) if stored else SyncPosition()
        boards = {one.id: one for one in (await self._ask(r.BOARDS, r.Boards, {})).boards}
        changed = 0
        for board_id in [one for one in standing.boards if one not in boards]:
            changed += await self._drop_board(standing, board_id)
        for board in boards.values():
            changed += await self._look_at(standing, board)
        return PollStep(changed=changed)

    async def _drop_board(self, standing: SyncPosition, board_id: str) -> int:
        """Delete a board that is closed or left; its deletion causes no events."""
        del standing.boards[board_id]
        return len(await self._context.storage.polled.replace(self._all_of(board_id), (), cursor=self._at(standing)))

    async def _look_at(self, standing: SyncPosition, board: r.Board) -> int:
        try:
            return await self._changes(standing, board)
        except PollError as failure:
            if failure.error.code not in _LOST:
                raise
            log.info("board_lost", account=self._account, code=failure.error.code)
            return await self._drop_board(standing, board.id) if board.id in standing.boards else 0

    async def _changes(self, standing: SyncPosition, board: r.Board) -> int:
        read = standing.boards.get(board.id)
        if read is None:
            # The log is read before the cards, so that an action in between is reported the next time.
            before = (await self._ask(r.LOG, r.Log, {"id": board.id})).deeds
            return await self._bring_in(standing, board, _after(Read(), before), ())
        page = (await self._ask(r.LOG, r.Log, {"id": board.id, "since": _since(read)})).deeds
        known = frozenset(read.newest)
        deeds = sorted((deed for deed in page if deed.id not in known), key=lambda deed: deed.id)
        if not deeds:
            return 0
        after = _after(read, deeds)
        cards = list(dict.fromkeys(deed.card_id for deed in deeds if deed.card_id))
        if len(page) == r.MOST_LISTED or len(cards) > MOST_CARDS or any(deed.kind in _OF_LISTS for deed in deeds):
            return await self._bring_in(standing, board, after, deeds)
        found = [card for card_id in cards if (card := await self._card(card_id)) is not None]
        there = {card.id for card in found}
        gone = [_deleted_card(self._account, card_id) for card_id in cards if card_id not in there]
        standing.boards[board.id] = after
        tell = self._teller(board, deeds, found)
        kept = [*(self._record(card, board) for card in found), *gone]
        changes = await self._context.storage.polled.keep(kept, cursor=self._at(standing), tell=tell)
        return len(changes)

    async def _bring_in(self, standing: SyncPosition, board: r.Board, read: Read, deeds: Sequence[r.Deed]) -> int:
        cards = [
            card
            for one in board.lists
            for card in (await self._ask(r.CARDS, r.Cards, {"id": one.id, "filter": "open"})).cards
        ]
        standing.boards[board.id] = read
        tell = self._teller(board, deeds, cards)
        records = [self._record(card, board) for card in cards]
        changes = await self._context.storage.polled.replace(
            self._all_of(board.id), records, cursor=self._at(standing), tell=tell
        )
        return len(changes)

    async def _card(self, card_id: str) -> r.Card | None:
        """Return a card; None if it no longer exists, or the owner may not see it."""
        try:
            return await self._ask(r.CARD, r.Card, {"id": card_id})
        except PollError as failure:
            if failure.error.code not in _LOST:
                raise
            return None

    def _teller(self, board: r.Board, deeds: Sequence[r.Deed], cards: Sequence[r.Card]) -> Teller:
        own = frozenset(deed.id for deed in deeds if self._integration.own.has(deed))
        known = {card.id: card for card in cards}
        return BoardActions(self._account, board, deeds, own, known).teller(self._context.clock.now())

    def _record(self, card: r.Card, board: r.Board) -> Polled:
        lists = {one.id: one.name for one in board.lists}
        return Polled(
            channel=CHANNEL,
            account=self._account,
            kind=PolledKind.CARD,
            ref=card.id,
            version=card.activity,
            at=card.due,
            item={
                "name": card.name,
                "board_id": card.board_id,
                "board": board.name if card.board_id == board.id else card.board_name,
                "list_id": card.list_id,
                "list": lists.get(card.list_id, card.list_name),
                "due": card.due.isoformat() if card.due else "",
                "done": card.done,
                "labels": [one.name or one.colour for one in card.labels],
                "members": card.members,
                "url": card.url,
            },
            removed=card.closed,
        )

    def _all_of(self, board_id: str) -> AllOf:
        return AllOf(CHANNEL, self._account, PolledKind.CARD, lambda one: one.item.get("board_id") == board_id)

    def _at(self, standing: SyncPosition) -> tuple[str, str]:
        return self._cursor, standing.model_dump_json()

    async def _ask(self, method_id: str, answer: type[T], args: dict[str, Any]) -> T:
        result = await asked(self._integration, method_id, args, trace_id=self._cursor, timeout_ms=_TIMEOUT_MS)
        return answer.model_validate(result.data)


def _deleted_card(account: str, card_id: str) -> Polled:
    return Polled(channel=CHANNEL, account=account, kind=PolledKind.CARD, ref=card_id, item={}, removed=True)


def _second(deed_id: str) -> int:
    """Return the time of an action: the first eight digits of each of Trello's ids."""
    return int(deed_id[:8], 16)


def _since(read: Read) -> str:
    """Return the id from which to read the log: not that of an action, but of a time before the newest."""
    return f"{max(0, _second(max(read.newest)) - OVERLAP_S):08x}{'0' * 16}" if read.newest else ""


def _after(read: Read, deeds: Sequence[r.Deed]) -> Read:
    """Return the position after these actions have been read."""
    ids = sorted({*read.newest, *(deed.id for deed in deeds)})
    if not ids:
        return read
    begin = _second(ids[-1]) - OVERLAP_S
    return Read(newest=[one for one in ids if _second(one) >= begin])
