"""Creates cards, comments and lists.

Trello cannot recognise a repeated request. So the newest entry of the board's log is stored before anything is created;
after a lost answer, the entries since then show whether it was created. If they do not, it stays unknown.
"""

from collections.abc import Callable
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.errors import IntegrationErrorCode
from butler.contract.speech import phrase, say
from butler.contract.tools import Reconciled, Settled, ToolCall
from modules.trello import records as r
from modules.trello.account_calls import Account, Accounts, not_done
from modules.trello.args import CommentCardArgs, CreateCardArgs, CreateListArgs, Place
from modules.trello.change_tools import see_as_shown
from modules.trello.due import due_at
from modules.trello.naming import label_name, one_board, one_label, one_list, one_member
from modules.trello.reading import row_of

NOT_AS_SHOWN = phrase("What the names mean on Trello is no longer what was shown; ask for it again")
NOT_IN_LOG = phrase("Trello's log does not have it, which is no proof. Look on the board before you ask for it again.")
TWICE_IN_LOG = phrase("Trello's log has more than one like it. Look on the board which one is yours.")
IN_LOG = phrase("Trello's log has it.")
NOT_BEGUN = phrase("It had not begun.")
CARD, COMMENT, LIST = "createCard", "commentCard", "createList"
_LOGGED = 200


class CreateTools:
    """The tools that create something."""

    def __init__(self, accounts: Accounts, zone: ZoneInfo) -> None:
        self._accounts, self._zone = accounts, zone

    # A card

    async def place(self, call: ToolCall) -> dict[str, Any]:
        """Return where the card is put, and its labels and members, as arguments."""
        return {"place": (await self._card_place(self._accounts.of(call), call.args)).model_dump(mode="json")}

    async def card(self, call: ToolCall) -> dict[str, Any]:
        """Create the card, if the names still mean what was shown."""
        args: CreateCardArgs = call.args
        account = self._accounts.of(call)
        place = await self._card_place(account, args)
        _see_same(args.place, place)
        await self._note(account, call, CARD, place.board_id, place.list_id)
        card = await account.ask(
            r.CREATE_CARD,
            r.Card,
            list_id=place.list_id,
            name=args.name,
            description=args.description,
            due=due_at(args.due, args.in_zone, self._zone).isoformat() if args.due else None,
            labels=[one for one, _ in place.labels],
            members=[one for one, _ in place.members],
            position=args.position.value,
        )
        names = {place.board_id: place.board, place.list_id: place.list_name}
        return {"cards": [row_of(card, names, dict(place.members), self._zone)], "count": 1, "complete": True}

    async def find_card(self, call: ToolCall) -> Reconciled:
        """Settle the creation of a card by the log."""
        args: CreateCardArgs = call.args
        account = self._accounts.of(call)

        def is_it(action: r.Action, where: str) -> bool:
            return action.card_name.strip() == args.name.strip() and action.list_id == where

        return await self._find(account, call, CARD, is_it)

    async def _card_place(self, account: Account, args: CreateCardArgs) -> Place:
        boards = await account.boards()
        board = _the_board(boards, args.board, args.in_list)
        if not board.lists:
            raise ValueError(say("the board {name} has no list; make one first", name=board.name))
        to = one_list([board], args.in_list) if args.in_list else board.lists[0]
        members = [await one_member(account, [board], name) for name in args.assign]
        return Place(
            board_id=board.id,
            board=board.name,
            list_id=to.id,
            list_name=to.name,
            labels=await _labels(account, board, args.labels),
            members=tuple((one.id, one.name) for one in members),
        )

    # A list

    async def list_place(self, call: ToolCall) -> dict[str, Any]:
        """Return the list's board, as arguments."""
        return {"place": (await self._list_place(self._accounts.of(call), call.args)).model_dump(mode="json")}

    async def list(self, call: ToolCall) -> dict[str, Any]:
        """Create the list."""
        args: CreateListArgs = call.args
        account = self._accounts.of(call)
        place = await self._list_place(account, args)
        _see_same(args.place, place)
        await self._note(account, call, LIST, place.board_id)
        made = await account.ask(r.CREATE_LIST, r.BoardList, board_id=place.board_id, name=args.name)
        return {"list_id": made.id, "name": made.name, "board": place.board}

    async def find_list(self, call: ToolCall) -> Reconciled:
        """Settle the creation of a list by the log."""
        args: CreateListArgs = call.args
        return await self._find(
            self._accounts.of(call), call, LIST, lambda action, _: action.list_name.strip() == args.name.strip()
        )

    async def _list_place(self, account: Account, args: CreateListArgs) -> Place:
        board = _the_board(await account.boards(), args.board)
        return Place(board_id=board.id, board=board.name)

    # A comment

    async def comment(self, call: ToolCall) -> dict[str, Any]:
        """Write the comment, if the card is still as shown."""
        args: CommentCardArgs = call.args
        account = self._accounts.of(call)
        card = await see_as_shown(account, args)
        await self._note(account, call, COMMENT, card.board_id, card.id)
        made = await account.ask(r.COMMENT, r.Action, id=card.id, text=args.text)
        return {"comment_id": made.id, "card_id": card.id, "name": card.name, "url": card.url}

    async def find_comment(self, call: ToolCall) -> Reconciled:
        """Settle the writing of a comment by the log."""
        args: CommentCardArgs = call.args

        def is_it(action: r.Action, where: str) -> bool:
            return action.card_id == where and action.text.strip() == args.text.strip()

        return await self._find(self._accounts.of(call), call, COMMENT, is_it)

    # The log of actions

    async def _note(self, account: Account, call: ToolCall, kind: str, board_id: str, where: str = "") -> None:
        """Store the id of the log's newest entry, for finding later ones."""
        if call.progress is None:
            return
        newest = (await account.ask(r.ACTIONS, r.Actions, id=board_id, kind=kind, limit=1)).actions
        since = newest[0].id if newest else ""
        await call.progress.save(board=board_id, where=where, since=since)

    async def _find(
        self, account: Account, call: ToolCall, kind: str, is_it: Callable[[r.Action, str], bool]
    ) -> Reconciled:
        if call.progress is None:
            return Reconciled.with_text(Settled.UNKNOWN, NOT_IN_LOG)
        notes = call.progress.stored
        if "board" not in notes:
            return Reconciled.with_text(Settled.REPEAT, NOT_BEGUN)
        asked = {"id": notes["board"], "kind": kind, "since": notes["since"], "limit": _LOGGED}
        actions, me = (await account.ask(r.ACTIONS, r.Actions, asked)).actions, await account.me()
        mine = [one for one in actions if one.member_id == me.id and one.id != notes["since"]]
        found = [one for one in mine if is_it(one, notes["where"])]
        if len(found) != 1:
            return Reconciled.with_text(Settled.UNKNOWN, TWICE_IN_LOG if found else NOT_IN_LOG)
        return Reconciled.with_text(Settled.DONE, IN_LOG, _made(found[0]))


def _made(action: r.Action) -> dict[str, Any]:
    every = {"card_id": action.card_id, "list_id": action.list_id, "name": action.card_name or action.list_name}
    return {name: value for name, value in every.items() if value}


def _the_board(boards: list[r.Board], said: str, in_list: str = "") -> r.Board:
    """Return the named board, or else the only one, or the only one with such a list; raise `ValueError`."""
    if not boards:
        raise ValueError(say("you have no open board on Trello"))
    if said:
        return one_board(boards, said)
    if len(boards) == 1:
        return boards[0]
    if in_list:
        found = one_list(boards, in_list)
        return next(board for board in boards if board.id == found.board_id)
    there = ", ".join(board.name for board in boards)
    raise ValueError(say("say on which board; there are: {there}", there=there))


async def _labels(account: Account, board: r.Board, names: tuple[str, ...]) -> tuple[tuple[str, str], ...]:
    if not names:
        return ()
    every = await account.labels(board.id)
    found: list[r.Label] = []
    for name in names:
        if (label := one_label(every, name)) is None:
            there = ", ".join(filter(None, map(label_name, every)))
            text = say(
                "there is no label {name} on {board}; there are: {there}", name=name, board=board.name, there=there
            )
            raise ValueError(text)
        found.append(label)
    return tuple((label.id, label_name(label)) for label in found)


def _see_same(shown: Place | None, place: Place) -> None:
    """Raise unless the names still resolve to what was shown."""
    if shown is not None and shown != place:
        raise not_done(IntegrationErrorCode.REJECTED, say(NOT_AS_SHOWN))
