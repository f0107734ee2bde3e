"""Cards: what stands on them, and what is done to them."""

from typing import cast

from butler_demo.trello.call import Call
from butler_demo.trello.editing import NewCard, Position
from butler_demo.trello.errors import TrelloError, invalid_value, not_found
from butler_demo.trello.records import Card, Json, read_moment, stamp
from butler_demo.trello.selection import chosen_actions
from butler_demo.trello.views import action_view, board_view, card_view, list_view, members_view, select

_LONGEST_TEXT = 16_384
_USUAL_ACTIONS = 50
_USUAL_KINDS = "commentCard,updateCard:idList"
_GONE: Json = {"limits": {}}
_NOTHING: Json = {"_value": None}


def get_card(call: Call) -> Json:
    """A card, with its board, list and members if asked for."""
    state, card = call.state, _card(call)
    view = select(card_view(card, state), call.text("fields"))
    if call.flag("members"):
        view["members"] = members_view(card.member_ids, state, call.text("member_fields"), "member_fields")
    if call.flag("list"):
        view["list"] = list_view(state.lists[card.list_id])
    if call.flag("board"):
        board = board_view(state.boards[card.board_id], state)
        view["board"] = select(board, call.text("board_fields"), "board_fields")
    return view


def post_card(call: Call) -> Json:
    """Put a card into a list."""
    state, given = call.state, _written(call)
    if call.text("idList") not in state.lists:
        raise TrelloError(404, "could not find the board that the card belongs to")
    into = state.card_list(call.text("idList"), call.member_id)
    new = NewCard(
        given.get("name", ""),
        desc=given.get("desc", ""),
        due=given.get("due"),
        start=given.get("start"),
        done=call.flag("dueComplete"),
        label_ids=call.texts("idLabels"),
        member_ids=call.texts("idMembers"),
        pos=cast("Position", given.get("pos", "bottom")),
    )
    return card_view(call.editor.add_card(into, new, call.member_id), state)


def put_card(call: Call) -> Json:
    """Set what is named: texts, dates, the list, the board, labels, members, archived or not."""
    card = _card(call)
    call.editor.change_card(card, _written(call), call.member_id)
    return card_view(card, call.state)


def delete_card(call: Call) -> Json:
    """Delete a card for good."""
    call.editor.delete_card(_card(call), call.member_id)
    return _GONE


def get_card_actions(call: Call) -> list[Json]:
    """What was done to a card, newest first."""
    state, card = call.state, _card(call)
    about = [each for each in state.actions[card.board_id] if each.card_id == card.id]
    found = chosen_actions(about, call.text("filter", _USUAL_KINDS), call.page(None))
    size = call.size("limit", _USUAL_ACTIONS)
    first = (call.number("page") or 0) * size
    with_member = call.flag("memberCreator", default=True)
    return [
        select(action_view(each, state, with_member=with_member), call.text("fields"))
        for each in found[first : first + size]
    ]


def post_comment(call: Call) -> Json:
    """Write a comment on a card."""
    text = call.text("text")
    if not text.strip() or len(text) > _LONGEST_TEXT:
        raise invalid_value("text")
    return action_view(call.editor.comment(_card(call), text, call.member_id), call.state)


def post_card_label(call: Call) -> list[str]:
    """Put a label on a card."""
    card = _card(call)
    call.editor.label(card, _value(call))
    return list(card.label_ids)


def delete_card_label(call: Call) -> Json:
    """Take a label from a card."""
    call.editor.unlabel(_card(call), call.path["idLabel"])
    return _NOTHING


def post_card_member(call: Call) -> list[Json]:
    """Put a member on a card."""
    card = _card(call)
    member_id = _value(call)
    if member_id not in call.state.members:
        raise not_found()
    call.editor.assign(card, member_id, call.member_id)
    return members_view(card.member_ids, call.state, "")


def delete_card_member(call: Call) -> list[Json]:
    """Take a member from a card."""
    card = _card(call)
    call.editor.unassign(card, call.path["idMember"], call.member_id)
    return members_view(card.member_ids, call.state, "")


def _card(call: Call) -> Card:
    return call.state.card(call.path["id"], call.member_id)


def _value(call: Call) -> str:
    if "value" not in call.parameters:
        raise invalid_value("value")
    return call.text("value")


def _written(call: Call) -> Json:
    """The parameters, with dates as Trello keeps them and texts not longer than it takes."""
    given = call.given()
    for name in ("due", "start"):
        if given.get(name):
            given[name] = stamp(read_moment(given[name]))
    for name in ("name", "desc"):
        if len(given.get(name, "")) > _LONGEST_TEXT:
            raise invalid_value(name)
    return given
