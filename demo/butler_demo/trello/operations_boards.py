"""Boards and what is on them: lists, labels, members, cards, the log."""

from butler_demo.trello.call import Call
from butler_demo.trello.errors import invalid_value
from butler_demo.trello.records import Board, Json
from butler_demo.trello.selection import Page, chosen_actions, chosen_cards
from butler_demo.trello.state import State
from butler_demo.trello.views import (
    action_view,
    board_view,
    card_view,
    label_view,
    list_view,
    members_view,
    select,
)

USUAL_FIELDS = "name,desc,descData,closed,idOrganization,pinned,url,shortUrl,prefs,labelNames"
_USUAL_LABELS = 50
_USUAL_ACTIONS = 50
_LIST_FILTERS = frozenset({"all", "open", "closed", "none"})


def get_board(call: Call) -> Json:
    """A board, with what is asked for of what is on it."""
    state, board = call.state, _board(call)
    view = select(board_view(board, state), call.text("fields", USUAL_FIELDS))
    if call.text("lists", "none") != "none":
        view["lists"] = _lists(state, board, call.text("lists"), call.text("list_fields"), "list_fields")
    if call.text("labels", "none") != "none":
        most = call.size("labels_limit", _USUAL_LABELS)
        view["labels"] = _labels(state, board, most, call.text("label_fields"), "label_fields")
    if call.text("members", "none") != "none":
        view["members"] = members_view(board.member_ids, state, call.text("member_fields"), "member_fields")
    if call.text("cards", "none") != "none":
        page = Page("", "", call.number("cards_limit"), coarse=False)
        cards = chosen_cards(state.cards_of_board(board.id), call.text("cards"), page, state)
        view["cards"] = [select(card_view(card, state), call.text("card_fields"), "card_fields") for card in cards]
    return view


def get_board_lists(call: Call) -> list[Json]:
    """A board's lists from left to right, with their cards if asked for."""
    state, board = call.state, _board(call)
    views = _lists(state, board, call.text("filter", "open"), call.text("fields"), "fields")
    if call.text("cards", "none") == "none":
        return views
    chosen = chosen_cards(state.cards_of_board(board.id), call.text("cards"), Page("", "", None, coarse=False), state)
    for view in views:
        shown = (card for card in chosen if card.list_id == view["id"])
        view["cards"] = [select(card_view(card, state), call.text("card_fields"), "card_fields") for card in shown]
    return views


def get_board_labels(call: Call) -> list[Json]:
    """A board's labels."""
    return _labels(call.state, _board(call), call.size("limit", _USUAL_LABELS), call.text("fields"), "fields")


def get_board_members(call: Call) -> list[Json]:
    """Everybody on a board."""
    return members_view(_board(call).member_ids, call.state, call.text("fields"))


def get_board_cards(call: Call) -> list[Json]:
    """A board's cards, list by list; pages hold the newest."""
    state, board = call.state, _board(call)
    chosen = call.path.get("filter") or call.text("filter", "visible")
    cards = chosen_cards(state.cards_of_board(board.id), chosen, call.page(call.number("limit")), state)
    return [select(card_view(card, state), call.text("fields")) for card in cards]


def get_board_actions(call: Call) -> list[Json]:
    """A board's log, newest first."""
    state = call.state
    board = state.board(call.path["boardId"], call.member_id)
    models = {each.strip() for each in call.text("idModels").split(",") if each.strip()}
    about = [each for each in state.actions[board.id] if not models or each.card_id in models]
    page = call.page(call.size("limit", _USUAL_ACTIONS))
    with_member = call.flag("memberCreator", default=True)
    return [
        select(action_view(each, state, with_member=with_member), call.text("fields"))
        for each in chosen_actions(about, call.text("filter"), page)
    ]


def _board(call: Call) -> Board:
    return call.state.board(call.path["id"], call.member_id)


def _lists(state: State, board: Board, chosen: str, fields: str, name: str) -> list[Json]:
    if chosen not in _LIST_FILTERS:
        raise invalid_value("lists" if name == "list_fields" else "filter")
    shown = [each for each in state.lists_of(board.id) if chosen == "all" or each.closed == (chosen == "closed")]
    return [] if chosen == "none" else [select(list_view(each), fields, name) for each in shown]


def _labels(state: State, board: Board, most: int, fields: str, name: str) -> list[Json]:
    return [select(label_view(label), fields, name) for label in state.labels_of(board.id)[:most]]
