"""Every operation that the stand-in serves, by its published id."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import cast

from butler_demo.trello.editing import Editor
from butler_demo.trello.errors import TrelloError, invalid_value, not_in_stand_in
from butler_demo.trello.records import Action, Card, Json, Member
from butler_demo.trello.selection import page_of_actions, page_of_cards
from butler_demo.trello.state import State
from butler_demo.trello.views import (
    action_view,
    board_view,
    card_view,
    label_view,
    list_view,
    member_view,
    select,
)

_USUAL_LIMIT = 50
_LONGEST_COMMENT = 16_384
_GONE: Json = {"limits": {}}


@dataclass(frozen=True)
class Call:
    """Who asks, for what, and where it is done. Parameters are checked and have their types."""

    state: State
    editor: Editor
    member_id: str
    path: Mapping[str, str]
    parameters: Json

    def text(self, name: str, default: str = "") -> str:
        """Return a text that may be missing."""
        return cast("str", self.parameters.get(name, default))

    def limit(self) -> int:
        """Return how many are asked for."""
        return cast("int", self.parameters.get("limit", _USUAL_LIMIT))

    def card(self) -> Card:
        """Return the card of the address."""
        return self.state.card(self.path["id"], self.member_id)

    def members_of(self, card: Card) -> list[Json]:
        """Return the members that are on a card."""
        return [member_view(self.state.members[member_id]) for member_id in card.member_ids]


def _me(call: Call) -> Member:
    if call.path["id"] != "me":
        raise not_in_stand_in("another member than me")
    return call.state.members[call.member_id]


def _get_member(call: Call) -> Json:
    return select(member_view(_me(call)), call.text("fields"))


def _get_member_boards(call: Call) -> list[Json]:
    state, me = call.state, _me(call)
    if (call.text("filter"), call.text("lists")) != ("open", "open"):
        raise not_in_stand_in("boards other than open ones with their open lists")
    boards = [board for board in state.boards.values() if me.id in board.member_ids and not board.closed]
    return [
        select(board_view(board), call.text("fields"))
        | {"lists": [list_view(each) for each in state.lists_of(board.id) if not each.closed]}
        for board in boards
    ]


def _get_board_labels(call: Call) -> list[Json]:
    board = call.state.board(call.path["id"], call.member_id)
    labels = call.state.labels_of(board.id)[: call.limit()]
    return [select(label_view(label), call.text("fields")) for label in labels]


def _get_board_members(call: Call) -> list[Json]:
    members = call.state.board(call.path["id"], call.member_id).member_ids
    return [select(member_view(call.state.members[member_id]), call.text("fields")) for member_id in members]


def _get_board_actions(call: Call) -> list[Json]:
    board = call.state.board(call.path["boardId"], call.member_id)
    return _actions(call, call.state.actions[board.id], call.text("filter"))


def _get_list(call: Call) -> Json:
    return select(list_view(call.state.card_list(call.path["id"], call.member_id)), call.text("fields"))


def _post_list(call: Call) -> Json:
    board, name = call.state.board(call.text("idBoard"), call.member_id), call.text("name").strip()
    if not name:
        raise invalid_value("name")
    if call.text("pos") != "bottom":
        raise not_in_stand_in("a new list elsewhere than at the bottom")
    return list_view(call.editor.add_list(board, name, call.member_id))


def _get_list_cards(call: Call) -> list[Json]:
    state = call.state
    found = state.card_list(call.path["id"], call.member_id)
    ends = call.text("since"), call.text("before")
    limit = cast("int | None", call.parameters.get("limit"))
    cards = page_of_cards(state.cards_of_list(found.id), call.text("filter", "open"), ends, limit, state.cards_at_once)
    return [select(card_view(card, state), call.text("fields")) for card in cards]


def _get_card(call: Call) -> Json:
    state, card = call.state, call.card()
    view = select(card_view(card, state), call.text("fields"))
    if call.parameters.get("list"):
        view["list"] = list_view(state.lists[card.list_id])
    if call.parameters.get("board"):
        view["board"] = select(board_view(state.boards[card.board_id]), call.text("board_fields"))
    return view


def _post_card(call: Call) -> Json:
    into = call.state.lists.get(call.text("idList"))
    if into is None:
        raise TrelloError(404, "could not find the board that the card belongs to")
    call.state.board(into.board_id, call.member_id)
    fields = {name: value for name, value in call.parameters.items() if name != "idList"}
    return card_view(call.editor.add_card(into, fields, call.member_id), call.state)


def _put_card(call: Call) -> Json:
    card = call.card()
    call.editor.change_card(card, call.parameters, call.member_id)
    return card_view(card, call.state)


def _delete_card(call: Call) -> Json:
    call.editor.delete_card(call.card(), call.member_id)
    return _GONE


def _get_card_actions(call: Call) -> list[Json]:
    card = call.card()
    about = [each for each in call.state.actions[card.board_id] if each.card_id == card.id]
    return _actions(call, about, call.text("filter"))


def _post_comment(call: Call) -> Json:
    text = call.text("text")
    if not text.strip() or len(text) > _LONGEST_COMMENT:
        raise invalid_value("text")
    return action_view(call.editor.comment(call.card(), text, call.member_id), call.state)


def _post_card_label(call: Call) -> list[str]:
    card = call.card()
    call.editor.label(card, call.text("value"))
    return list(card.label_ids)


def _delete_card_label(call: Call) -> Json:
    call.editor.unlabel(call.card(), call.path["idLabel"])
    return _GONE


def _post_card_member(call: Call) -> list[Json]:
    card = call.card()
    call.editor.assign(card, call.text("value"), call.member_id)
    return call.members_of(card)


def _delete_card_member(call: Call) -> list[Json]:
    card = call.card()
    call.editor.unassign(card, call.path["idMember"], call.member_id)
    return call.members_of(card)


def _post_label(call: Call) -> Json:
    board = call.state.board(call.text("idBoard"), call.member_id)
    color = cast("str | None", call.parameters["color"])
    return label_view(call.editor.add_label(board.id, call.text("name"), color))


def _actions(call: Call, actions: list[Action], kind: str) -> list[Json]:
    found = page_of_actions(actions, kind, call.text("since"), call.limit())
    with_member = bool(call.parameters.get("memberCreator", True))
    return [action_view(each, call.state, with_member=with_member) for each in found]


OPERATIONS: Mapping[str, Callable[[Call], object]] = {
    "get-members-id": _get_member,
    "get-members-id-boards": _get_member_boards,
    "get-boards-id-labels": _get_board_labels,
    "get-boards-id-members": _get_board_members,
    "get-boards-id-actions": _get_board_actions,
    "get-lists-id": _get_list,
    "post-lists": _post_list,
    "get-lists-id-cards": _get_list_cards,
    "get-cards-id": _get_card,
    "post-cards": _post_card,
    "put-cards-id": _put_card,
    "delete-cards-id": _delete_card,
    "get-cards-id-actions": _get_card_actions,
    "post-cards-id-actions-comments": _post_comment,
    "post-cards-id-idlabels": _post_card_label,
    "delete-cards-id-idlabels-idlabel": _delete_card_label,
    "post-cards-id-idmembers": _post_card_member,
    "delete-id-idmembers-idmember": _delete_card_member,
    "post-labels": _post_label,
}
