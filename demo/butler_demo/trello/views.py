"""Members, boards, lists, labels, cards and actions as Trello shows them, without what nobody asks for."""

from butler_demo.trello.errors import not_in_stand_in
from butler_demo.trello.records import Action, Board, Card, CardList, Json, Label, Member, stamp
from butler_demo.trello.state import State

_SITE = "https://trello.com"


def select(view: Json, fields: str) -> Json:
    """Return the named fields of a view and its id, all where none is named. Raises TrelloError 501."""
    wanted = [field.strip() for field in fields.split(",")] if fields else list(view)
    if missing := [field for field in wanted if field not in view]:
        raise not_in_stand_in(f"the field {missing[0]}")
    return {"id": view["id"]} | {field: view[field] for field in wanted}


def member_view(member: Member) -> Json:
    """Return a member as others see them."""
    return {"id": member.id, "username": member.username, "fullName": member.full_name}


def board_view(board: Board) -> Json:
    """Return a board without what is on it."""
    url = f"{_SITE}/b/{board.link}"
    return {"id": board.id, "name": board.name, "closed": board.closed, "shortUrl": url, "shortLink": board.link}


def list_view(shown: CardList) -> Json:
    """Return a list without its cards."""
    return {
        "id": shown.id,
        "name": shown.name,
        "closed": shown.closed,
        "pos": shown.pos,
        "idBoard": shown.board_id,
    }


def label_view(label: Label) -> Json:
    """Return a label."""
    return {"id": label.id, "idBoard": label.board_id, "name": label.name, "color": label.color}


def card_view(card: Card, state: State) -> Json:
    """Return a card with its labels."""
    return {
        "id": card.id,
        "name": card.name,
        "desc": card.desc,
        "closed": card.closed,
        "due": card.due,
        "dueComplete": card.done,
        "pos": card.pos,
        "idBoard": card.board_id,
        "idList": card.list_id,
        "idLabels": list(card.label_ids),
        "labels": [label_view(state.labels[label_id]) for label_id in card.label_ids],
        "idMembers": list(card.member_ids),
        "shortLink": card.link,
        "shortUrl": f"{_SITE}/c/{card.link}",
        "dateLastActivity": stamp(card.last_activity),
    }


def action_view(action: Action, state: State, *, with_member: bool = True) -> Json:
    """Return a line of a board's log, with the member whose deed it was."""
    view: Json = {
        "id": action.id,
        "idMemberCreator": action.member_id,
        "type": action.type,
        "date": stamp(action.at),
        "data": action.data,
    }
    return view | ({"memberCreator": member_view(state.members[action.member_id])} if with_member else {})
