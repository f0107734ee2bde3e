"""Resolves an action's list, label, member or date to ids, and checks these before each batch.

Lists and labels belong to a board, so there is one id per board.
"""

from collections.abc import Collection, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.errors import IntegrationErrorCode, Reconfigure
from butler.contract.speech import phrase, say
from modules.trello import records as r
from modules.trello.account_calls import Account, NotDoneError
from modules.trello.bulk_actions import CardAction
from modules.trello.bulk_args import CardSelection, DueSelection, LabelSelection, MoveSelection, PersonSelection
from modules.trello.bulk_card_acts import CardAct
from modules.trello.naming import label_name, lists_called, no_such_label, one_board, one_label, one_list, one_member
from modules.trello.resolved_names import ResolvedNames

LABEL_GONE = phrase("The label {name} is no longer there. Make it anew, and tap Resume.")
LIST_GONE = phrase("The list {name} is archived. Bring it back, and tap Resume.")
COLOURS = ("blue", "green", "orange", "purple", "yellow", "red", "sky", "lime", "pink", "black")


async def params_of(
    account: Account,
    action: CardAction,
    said: CardSelection,
    boards: Sequence[r.Board],
    zone: ZoneInfo,
    meant: ResolvedNames,
) -> dict[str, Any]:
    """Return the names as ids within these boards; `meant` records the resolutions. Raise `ValueError`."""
    match said:
        case MoveSelection():
            return await _targets(account, said, boards, meant)
        case LabelSelection():
            params: dict[str, Any] = {"name": said.name, "labels": {}}
            if not said.cards:
                await know_labels(account, params, [board.id for board in boards], meant)
            if action is CardAction.UNLABEL and not said.cards and not any(params["labels"].values()):
                every = [label for board in boards for label in await account.labels(board.id)]
                raise no_such_label(every, said.name)
            return params
        case PersonSelection():
            member = await one_member(account, boards, said.person)
            meant.note_person(said.person, member)
            return {"member": member.id}
        case DueSelection():
            return {"due": said.due.replace(tzinfo=zone).isoformat() if said.due else None}
        case _:
            return {}


async def _targets(
    account: Account, said: MoveSelection, boards: Sequence[r.Board], meant: ResolvedNames
) -> dict[str, Any]:
    """Return the list per board: of the named board, or of each card's own."""
    if said.to_board:
        board = one_board(await account.boards(), said.to_board)
        meant.note(said.to_board, board.name)
        if not board.lists:
            raise ValueError(say("the board {name} has no list; make one first", name=board.name))
        to = one_list([board], said.to_list) if said.to_list else board.lists[0]
        meant.note(said.to_list or say("the first one"), to.name)
        return {"name": to.name, "board": board.id, "lists": {board.id: to.id}}
    if len(boards) == 1:
        to = one_list(boards, said.to_list)
        meant.note(said.to_list, to.name)
        return {"name": to.name, "board": "", "lists": {to.board_id: to.id}}
    by_board = {board.id: lists_called([board], said.to_list) for board in boards}
    lists = {board_id: found[0].id for board_id, found in by_board.items() if len(found) == 1}
    if not lists:
        one_list(boards, said.to_list)  # raises with the lists that exist
    return {"name": said.to_list, "board": "", "lists": lists}


async def know_labels(
    account: Account, params: dict[str, Any], board_ids: Collection[str], meant: ResolvedNames
) -> None:
    """Find the label on boards that were not asked yet; store an empty id for a board without it."""
    for board_id in sorted(set(board_ids) - set(params["labels"])):
        label = one_label(await account.labels(board_id), params["name"])
        params["labels"][board_id] = label.id if label else ""
        meant.note(params["name"], *([label_name(label)] if label else []))


async def make_ready(account: Account, act: CardAct, cards: Collection[r.Card]) -> None:
    """Check that the action's targets exist; create a label that did not exist when it was ordered.

    Raise `Reconfigure` if a target was deleted meanwhile, and `NotDoneError`.
    """
    if act.back:
        return
    if act.action is CardAction.MOVE:
        # A card that moved to another board meanwhile may have no target list there.
        for list_id in sorted({act.target(card.board_id) for card in cards} - {""}):
            await _see_list(account, act.params, list_id)
    elif act.action is CardAction.LABEL:
        for board_id in sorted({card.board_id for card in cards}):
            await _see_label(account, act.params, board_id)


async def _see_list(account: Account, params: dict[str, Any], list_id: str) -> None:
    try:
        gone = (await account.ask(r.LIST, r.BoardList, id=list_id)).closed
    except NotDoneError as failure:
        if failure.error.code is not IntegrationErrorCode.NOT_FOUND:
            raise
        gone = True
    if gone:
        raise Reconfigure(say(LIST_GONE, name=params["name"]))


async def _see_label(account: Account, params: dict[str, Any], board_id: str) -> None:
    labels, known = await account.labels(board_id), params["labels"].get(board_id, "")
    if any(label.id == known for label in labels):
        return
    try:
        label = one_label(labels, params["name"])
    except ValueError as error:
        raise Reconfigure(str(error)) from error
    if label is None and known:
        raise Reconfigure(say(LABEL_GONE, name=params["name"]))
    if label is None:
        used = {one.colour for one in labels}
        colour = next((colour for colour in COLOURS if colour not in used), COLOURS[0])
        label = await account.ask(r.CREATE_LABEL, r.Label, board_id=board_id, name=params["name"], colour=colour)
    params["labels"][board_id] = label.id
