"""The reading tools: boards, cards by criteria, one card with its comments."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.errors import IntegrationErrorCode
from butler.contract.ports import Clock
from butler.contract.speech import say
from butler.contract.tools import ToolCall
from modules.trello import records as r
from modules.trello.account_calls import Account, Accounts, not_done
from modules.trello.args import ListCardsArgs, ReadCardArgs
from modules.trello.card_query import every_card, query_of, scope
from modules.trello.naming import card_ref, label_name


class Reading:
    """The tools that change nothing."""

    def __init__(self, accounts: Accounts, clock: Clock, zone: ZoneInfo) -> None:
        self._accounts, self._clock, self._zone = accounts, clock, zone

    async def boards(self, call: ToolCall) -> dict[str, Any]:
        """Return the open boards with their lists."""
        boards = await self._accounts.of(call).boards()
        if not boards:
            raise not_done(IntegrationErrorCode.NOT_FOUND, say("you have no open board on Trello"))
        rows = [
            {"board_id": one.id, "name": one.name, "lists": [each.name for each in one.lists], "url": one.url}
            for one in boards
        ]
        return {"boards": rows, "count": len(rows)}

    async def cards(self, call: ToolCall) -> dict[str, Any]:
        """Return the cards that meet all criteria; by due date, the earliest first."""
        args: ListCardsArgs = call.args
        account = self._accounts.of(call)
        boards, lists = where = await scope(account, args, loose=True)
        now, zone = self._clock.now(), ZoneInfo(args.in_zone) if args.in_zone else self._zone
        query = await query_of(account, args, where, zone=zone, now=now, archived=args.archived, loose=True)
        by_due = args.overdue or args.due_before is not None
        found: list[r.Card] = []
        async for card in every_card(account, query):
            found.append(card)
            if len(found) > args.limit and not by_due:
                break
        if not found:
            raise not_done(IntegrationErrorCode.NOT_FOUND, say("there is no such card on Trello"))
        if by_due:
            found.sort(key=lambda card: card.due or now)
        names = {one.id: one.name for one in (*boards, *lists)}
        shown = found[: args.limit]
        rows = await self._rows(account, shown, names)
        return {"cards": rows, "count": len(rows), "complete": len(found) <= args.limit}

    async def card(self, call: ToolCall) -> dict[str, Any]:
        """Return one card, with its text and its newest comments."""
        args: ReadCardArgs = call.args
        account = self._accounts.of(call)
        card = await account.there(card_ref(args.card))
        comments = (await account.ask(r.COMMENTS, r.Comments, id=card.id)).comments
        names = {card.board_id: card.board_name, card.list_id: card.list_name}
        (row,) = await self._rows(account, [card], names)
        items = [{"by": one.by, "date": one.at.isoformat(), "text": one.text} for one in comments]
        row |= {"archived": card.closed, "description": card.description, "comments": items}
        return {"cards": [row], "count": 1, "complete": True}

    async def _rows(self, account: Account, cards: Iterable[r.Card], names: Mapping[str, str]) -> list[dict[str, Any]]:
        cards = list(cards)
        boards = sorted({card.board_id for card in cards if card.members})
        people = {one.id: one.name for board_id in boards for one in await account.members(board_id)}
        return [row_of(card, names, people, self._zone) for card in cards]


def row_of(card: r.Card, names: Mapping[str, str], people: Mapping[str, str], zone: ZoneInfo) -> dict[str, Any]:
    """Return a card's row in a list; `names` are those of boards and lists by their ids, `people` those of members."""
    return {
        "card_id": card.id,
        "name": card.name,
        "board": names.get(card.board_id, ""),
        "list": names.get(card.list_id, ""),
        "labels": [label_name(label) for label in card.labels],
        "assigned": [people[one] for one in card.members if one in people],
        "due": local(card.due, zone),
        "done": card.done,
        "url": card.url,
    }


def local(at: datetime | None, zone: ZoneInfo) -> str | None:
    """Return a moment as local time of the zone."""
    return at.astimezone(zone).replace(tzinfo=None).isoformat(timespec="minutes") if at else None
