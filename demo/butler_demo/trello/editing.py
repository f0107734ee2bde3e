"""What members do to boards, lists, labels and cards; each deed stands in the board's log.

Fields of a card have the API's names (`idList`, `dueComplete`).
"""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from butler_demo.trello.errors import TrelloError, invalid_value
from butler_demo.trello.ids import short_link
from butler_demo.trello.records import POSITION_STEP, Action, Board, Card, CardList, Json, Label, stamp
from butler_demo.trello.state import State

Position = float | Literal["top", "bottom"]
_LONGEST_TEXT = 16_384
_PLAIN = {"name": "name", "desc": "desc", "due": "due", "dueComplete": "done", "closed": "closed"}
"""Fields of a card that are simply set: the API's name, and ours."""


class Editor:
    """Changes the state in the name of a member. Raises TrelloError for what Trello would refuse."""

    def __init__(self, state: State) -> None:
        self._state = state

    # Lists and labels

    def add_list(self, board: Board, name: str, by: str) -> CardList:
        """Open a list to the right of the others on a board."""
        pos = max((each.pos for each in self._state.lists_of(board.id)), default=0.0) + POSITION_STEP
        added = CardList(self._state.ids.new(self._state.now()), board.id, name, pos)
        self._state.lists[added.id] = added
        self._state.log("createList", by, board.id, {"list": _named(added)})
        return added

    def archive_list(self, changed: CardList, *, closed: bool) -> None:
        """Archive a list, or bring it back, as the board's owner."""
        changed.closed = closed
        owner = self._state.boards[changed.board_id].member_ids[0]
        self._state.log("updateList", owner, changed.board_id, {"list": _named(changed)})

    def add_label(self, board_id: str, name: str, color: str | None) -> Label:
        """Give a board another label; two may have the same name."""
        label = Label(self._state.ids.new(self._state.now()), board_id, name, color)
        self._state.labels[label.id] = label
        return label

    def remove_label(self, label: Label) -> None:
        """Take a label from its board and from all cards."""
        del self._state.labels[label.id]
        for card in self._state.cards_of_board(label.board_id):
            if label.id in card.label_ids:
                card.label_ids.remove(label.id)

    # Cards

    def add_card(self, into: CardList, fields: Json, by: str, at: datetime | None = None) -> Card:
        """Put a card into a list; `at` is when it was made, now unless it is said."""
        at = at or self._state.now()
        fields = _written(fields)
        self._check_belonging(into.board_id, fields)
        card_id = self._state.ids.new(at)
        pos = self._position(into, fields.get("pos", "bottom"))
        card = Card(card_id, short_link(card_id), into.board_id, into.id, fields.get("name", ""), pos, at)
        for name, own in _PLAIN.items():
            setattr(card, own, fields.get(name, getattr(card, own)))
        card.label_ids = list(dict.fromkeys(fields.get("idLabels", ())))
        card.member_ids = list(dict.fromkeys(fields.get("idMembers", ())))
        self._state.put_card(card)
        told = {"card": _told(card), "list": _named(into)}
        self._state.log("createCard", by, into.board_id, told, card_id=card.id, at=at)
        return card

    def change_card(self, card: Card, fields: Json, by: str) -> None:
        """Set what a PUT names; all of it is checked before anything is done."""
        fields = _written(fields)
        target = self._target(card, fields, by)
        self._check_belonging(target.board_id, fields)
        if "name" in fields and not fields["name"].strip():
            raise invalid_value("name")
        if target.id != card.list_id:
            self._move(card, target, by)
        if "pos" in fields:
            card.pos = self._position(target, fields["pos"])
        if "idLabels" in fields:
            card.label_ids = list(dict.fromkeys(fields["idLabels"]))
        if "idMembers" in fields:
            self._assign_only(card, fields["idMembers"], by)
        for name, own in _PLAIN.items():
            if name in fields and fields[name] != getattr(card, own):
                old = {name: getattr(card, own)}
                setattr(card, own, fields[name])
                self._update(card, by, {"card": {**_told(card), name: fields[name]}, "old": old})
        card.last_activity = self._state.now()

    def _assign_only(self, card: Card, member_ids: Sequence[str], by: str) -> None:
        for member_id in [each for each in card.member_ids if each not in member_ids]:
            self.unassign(card, member_id, by)
        for member_id in [each for each in dict.fromkeys(member_ids) if each not in card.member_ids]:
            self.assign(card, member_id, by)

    def label(self, card: Card, label_id: str) -> None:
        """Put a label of the card's board on the card."""
        self._check_labels(card.board_id, (label_id,), "value")
        if label_id in card.label_ids:
            raise TrelloError(400, "that label is already on the card")
        card.label_ids.append(label_id)
        card.last_activity = self._state.now()

    def unlabel(self, card: Card, label_id: str) -> None:
        """Take a label from a card."""
        if label_id not in card.label_ids:
            raise TrelloError(400, "that label is not on the card")
        card.label_ids.remove(label_id)
        card.last_activity = self._state.now()

    def assign(self, card: Card, member_id: str, by: str) -> None:
        """Put a member of the card's board on the card."""
        self._check_members(card.board_id, (member_id,), "value")
        if member_id in card.member_ids:
            raise TrelloError(400, "member is already on the card")
        card.member_ids.append(member_id)
        self._deed("addMemberToCard", card, by, {})

    def unassign(self, card: Card, member_id: str, by: str) -> None:
        """Take a member from a card."""
        if member_id not in card.member_ids:
            raise TrelloError(400, "member is not on the card")
        card.member_ids.remove(member_id)
        self._deed("removeMemberFromCard", card, by, {})

    def comment(self, card: Card, text: str, by: str) -> Action:
        """Write a comment."""
        return self._deed("commentCard", card, by, {"text": text, "list": self._list_of(card)})

    def delete_card(self, card: Card, by: str) -> None:
        """Delete a card for good."""
        about = {"card": {"id": card.id, "shortLink": card.link}, "list": self._list_of(card)}
        self._state.remove_card(card)
        self._state.log("deleteCard", by, card.board_id, about, card_id=card.id)

    # How cards move

    def _target(self, card: Card, fields: Json, by: str) -> CardList:
        """The list in which the card is to hang: of another board only if that board is named beside it."""
        board_id = fields.get("idBoard", card.board_id)
        board = self._state.boards.get(board_id)
        if board is None or by not in board.member_ids:
            raise invalid_value("idBoard")
        target = self._state.lists.get(fields.get("idList", card.list_id))
        if target is None or target.board_id != board_id:
            raise invalid_value("idList")
        return target

    def _move(self, card: Card, target: CardList, by: str) -> None:
        before, old_board_id = self._list_of(card), card.board_id
        self._state.rehang(card, target.id)
        target.lowest_free = max(target.lowest_free, card.pos + POSITION_STEP)
        about = {"card": _told(card), "list": _named(target)}
        if old_board_id == target.board_id:
            self._update(card, by, {**about, "listBefore": before, "listAfter": _named(target)})
            return
        there = self._state.boards[target.board_id]
        card.label_ids = self._labels_there(card.label_ids, there.id)
        card.member_ids = [member_id for member_id in card.member_ids if member_id in there.member_ids]
        self._state.log("moveCardToBoard", by, there.id, about, card_id=card.id)
        self._state.log("moveCardFromBoard", by, old_board_id, about, card_id=card.id)

    def _labels_there(self, label_ids: Sequence[str], board_id: str) -> list[str]:
        """The other board's labels of the same names and colours; those that it has not are made."""
        there = {(label.name, label.color): label.id for label in reversed(self._state.labels_of(board_id))}
        labels = [self._state.labels[label_id] for label_id in label_ids]
        known = [(label, there.get((label.name, label.color))) for label in labels]
        return [found or self.add_label(board_id, label.name, label.color).id for label, found in known]

    def _position(self, target: CardList, pos: Position) -> float:
        if pos == "top":
            return self._state.highest_position(target.id) / 2
        place = target.lowest_free if pos == "bottom" else float(pos)
        target.lowest_free = max(target.lowest_free, place + POSITION_STEP)
        return place

    # What is checked and told

    def _check_belonging(self, board_id: str, fields: Json) -> None:
        self._check_labels(board_id, fields.get("idLabels", ()), "idLabels")
        self._check_members(board_id, fields.get("idMembers", ()), "idMembers")

    def _check_labels(self, board_id: str, label_ids: Sequence[str], name: str) -> None:
        if not set(label_ids) <= {label.id for label in self._state.labels_of(board_id)}:
            raise invalid_value(name)

    def _check_members(self, board_id: str, member_ids: Sequence[str], name: str) -> None:
        if not set(member_ids) <= set(self._state.boards[board_id].member_ids):
            raise invalid_value(name)

    def _list_of(self, card: Card) -> Json:
        return _named(self._state.lists[card.list_id])

    def _update(self, card: Card, by: str, data: Json) -> None:
        self._deed("updateCard", card, by, {"list": self._list_of(card), **data})

    def _deed(self, kind: str, card: Card, by: str, data: Json) -> Action:
        card.last_activity = self._state.now()
        return self._state.log(kind, by, card.board_id, {"card": _told(card), **data}, card_id=card.id)


def _named(of: CardList) -> Json:
    return {"id": of.id, "name": of.name}


def _told(card: Card) -> Json:
    return {"id": card.id, "name": card.name, "shortLink": card.link}


def _written(fields: Json) -> Json:
    """The fields with the due date as Trello keeps it, and texts not longer than it takes."""
    for name in ("name", "desc"):
        if len(fields.get(name, "")) > _LONGEST_TEXT:
            raise invalid_value(name)
    if not (due := fields.get("due")):
        return fields
    moment = due if isinstance(due, datetime) else datetime.fromisoformat(due)
    return {**fields, "due": stamp(moment if moment.tzinfo else moment.replace(tzinfo=UTC))}
