"""Members, and the boards and cards that they are on."""

import itertools

from butler_demo.trello.call import Call
from butler_demo.trello.errors import not_in_stand_in
from butler_demo.trello.records import Json
from butler_demo.trello.selection import chosen_cards
from butler_demo.trello.views import board_view, card_view, list_view, member_view, select


def get_member(call: Call) -> Json:
    """Who is this; the own address is told to oneself only."""
    state = call.state
    member = state.member(call.path["id"], call.member_id)
    view = member_view(member, state)
    if member.id == call.member_id:
        view["email"] = f"{member.username}@home.example"
    return select(view, call.text("fields"))


def get_member_boards(call: Call) -> list[Json]:
    """A member's boards, as far as they are the reader's too."""
    state = call.state
    member = state.member(call.path["id"], call.member_id)
    chosen = call.text("filter", "all")
    if chosen not in {"all", "open", "closed"}:
        raise not_in_stand_in(f"the filter {chosen} of boards")
    boards: list[Json] = []
    for board in state.boards_of(member.id):
        if call.member_id not in board.member_ids or (chosen != "all" and board.closed != (chosen == "closed")):
            continue
        view = select(board_view(board, state), call.text("fields"))
        lists = call.text("lists", "none")
        if lists != "none":
            view["lists"] = [
                list_view(each)
                for each in state.lists_of(board.id)
                if lists == "all" or each.closed == (lists == "closed")
            ]
        boards.append(view)
    return boards


def get_member_cards(call: Call) -> list[Json]:
    """The cards that a member is on, as far as the reader may see them."""
    state = call.state
    member = state.member(call.path["id"], call.member_id)
    chosen = call.text("filter", "visible")
    shared = (board for board in state.boards_of(member.id) if call.member_id in board.member_ids)
    boards = (board for board in shared if chosen in {"all", "closed"} or not board.closed)
    on_boards = itertools.chain.from_iterable(state.cards_of_board(board.id) for board in boards)
    own = (card for card in on_boards if member.id in card.member_ids)
    cards = chosen_cards(own, chosen, call.page(call.number("limit")), state)
    return [select(card_view(card, state), call.text("fields")) for card in cards]
