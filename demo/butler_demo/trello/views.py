"""Members, boards, lists, labels, cards and actions as Trello shows them."""

import re
from collections.abc import Iterable

from butler_demo.trello.errors import invalid_value
from butler_demo.trello.records import Action, Board, Card, CardList, Json, Label, Member, stamp
from butler_demo.trello.state import State

_SITE = "https://trello.com"
_COVER: Json = {"idAttachment": None, "color": None, "idUploadedBackground": None, "size": "normal"}
_COVER["brightness"] = "dark"
_WORDS = re.compile(r"[a-z0-9]+")


def select(view: Json, fields: str, name: str = "fields") -> Json:
    """Return the named fields of a view and its id. Raises TrelloError 400 for a field that is not there."""
    if fields in ("", "all"):
        return view
    wanted = [field.strip() for field in fields.split(",")]
    if any(field not in view for field in wanted):
        raise invalid_value(name)
    return {"id": view["id"]} | {field: view[field] for field in wanted}


def member_view(member: Member, state: State) -> Json:
    """Return a member as others see them, and the boards that they are on."""
    initials = "".join(word[0] for word in member.full_name.split()[:3]).upper()
    return {
        "id": member.id,
        "username": member.username,
        "fullName": member.full_name,
        "initials": initials,
        "avatarHash": None,
        "avatarUrl": None,
        "bio": "",
        "confirmed": True,
        "memberType": "normal",
        "activityBlocked": False,
        "url": f"{_SITE}/{member.username}",
        "idBoards": [board.id for board in state.boards_of(member.id)],
        "idOrganizations": [],
    }


def board_view(board: Board, state: State) -> Json:
    """Return a board without what is on it."""
    names = {label.color: label.name for label in state.labels_of(board.id)}
    return {
        "id": board.id,
        "name": board.name,
        "desc": "",
        "descData": None,
        "closed": board.closed,
        "idOrganization": None,
        "idMemberCreator": board.member_ids[0],
        "pinned": False,
        "starred": False,
        "subscribed": False,
        "url": f"{_SITE}/b/{board.link}/{_slug(board.name)}",
        "shortUrl": f"{_SITE}/b/{board.link}",
        "shortLink": board.link,
        "prefs": {"permissionLevel": "private", "background": "blue", "comments": "members", "selfJoin": True},
        "labelNames": {color: names.get(color, "") for color in ("green", "yellow", "orange", "red", "purple", "blue")},
        "memberships": [
            {"id": member_id, "idMember": member_id, "memberType": "normal" if place else "admin"}
            for place, member_id in enumerate(board.member_ids)
        ],
        "dateLastActivity": stamp(board.last_activity),
    }


def list_view(shown: CardList) -> Json:
    """Return a list without its cards."""
    return {
        "id": shown.id,
        "name": shown.name,
        "closed": shown.closed,
        "pos": shown.pos,
        "softLimit": None,
        "idBoard": shown.board_id,
        "subscribed": False,
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
        "descData": None,
        "closed": card.closed,
        "due": card.due,
        "dueComplete": card.done,
        "dueReminder": None,
        "start": card.start,
        "pos": card.pos,
        "idBoard": card.board_id,
        "idList": card.list_id,
        "idLabels": list(card.label_ids),
        "labels": [label_view(state.labels[label_id]) for label_id in card.label_ids],
        "idMembers": list(card.member_ids),
        "idMembersVoted": [],
        "idChecklists": [],
        "checkItemStates": [],
        "idShort": card.number,
        "idAttachmentCover": None,
        "manualCoverAttachment": False,
        "shortLink": card.link,
        "shortUrl": f"{_SITE}/c/{card.link}",
        "url": f"{_SITE}/c/{card.link}/{card.number}-{_slug(card.name)}",
        "subscribed": False,
        "isTemplate": False,
        "dateLastActivity": stamp(card.last_activity),
        "cover": _COVER,
        "badges": _badges(card),
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
    if with_member:
        member = state.members[action.member_id]
        view["memberCreator"] = {"id": member.id, "username": member.username, "fullName": member.full_name}
    return view


def members_view(member_ids: Iterable[str], state: State, fields: str, name: str = "fields") -> list[Json]:
    """Return members; by default with the few fields that lists of them have."""
    chosen = fields or "avatarHash,fullName,initials,username"
    return [select(member_view(state.members[member_id], state), chosen, name) for member_id in member_ids]


def _badges(card: Card) -> Json:
    return {
        "votes": 0,
        "viewingMemberVoted": False,
        "subscribed": False,
        "location": False,
        "fogbugz": "",
        "checkItems": 0,
        "checkItemsChecked": 0,
        "comments": card.comments,
        "attachments": 0,
        "description": bool(card.desc),
        "due": card.due,
        "start": card.start,
        "dueComplete": card.done,
    }


def _slug(name: str) -> str:
    return "-".join(_WORDS.findall(name.lower()))
