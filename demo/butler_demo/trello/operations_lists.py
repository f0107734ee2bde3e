"""Lists and their cards, and labels."""

from typing import cast

from butler_demo.trello.call import Call
from butler_demo.trello.editing import Position
from butler_demo.trello.errors import invalid_value
from butler_demo.trello.records import Json
from butler_demo.trello.selection import chosen_cards
from butler_demo.trello.views import card_view, label_view, list_view, select

_GONE: Json = {"limits": {}}


def get_list(call: Call) -> Json:
    """A list."""
    found = call.state.card_list(call.path["id"], call.member_id)
    return select(list_view(found), call.text("fields", "name,closed,idBoard,pos"))


def get_list_cards(call: Call) -> list[Json]:
    """A list's cards from top to bottom; pages hold the newest."""
    state = call.state
    found = state.card_list(call.path["id"], call.member_id)
    cards = chosen_cards(
        state.cards_of_list(found.id), call.text("filter", "open"), call.page(call.number("limit")), state
    )
    return [select(card_view(card, state), call.text("fields")) for card in cards]


def post_list(call: Call) -> Json:
    """Open a list."""
    board = call.state.board(call.text("idBoard"), call.member_id)
    name = call.text("name").strip()
    if not name:
        raise invalid_value("name")
    pos = cast("Position", call.parameters.get("pos", "top"))  # a new list comes to the left unless it is said
    return list_view(call.editor.add_list(board, name, call.member_id, pos))


def put_list(call: Call) -> Json:
    """Rename, archive or move a list."""
    found = call.state.card_list(call.path["id"], call.member_id)
    call.editor.change_list(found, call.given(), call.member_id)
    return list_view(found)


def post_label(call: Call) -> Json:
    """Give a board another label."""
    board = call.state.board(call.text("idBoard"), call.member_id)
    color = cast("str | None", call.parameters["color"])
    return label_view(call.editor.add_label(board.id, call.text("name"), color))


def get_label(call: Call) -> Json:
    """A label."""
    return select(label_view(call.state.label(call.path["id"], call.member_id)), call.text("fields"))


def put_label(call: Call) -> Json:
    """Rename or recolour a label."""
    label = call.state.label(call.path["id"], call.member_id)
    label.name = call.text("name", label.name)
    if "color" in call.parameters:
        label.color = cast("str | None", call.parameters["color"])
    return label_view(label)


def delete_label(call: Call) -> Json:
    """Take a label from its board and from every card."""
    call.editor.remove_label(call.state.label(call.path["id"], call.member_id))
    return _GONE
