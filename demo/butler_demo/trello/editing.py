"""What members do to boards, lists, labels and cards; each deed stands in the board's log."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from butler_demo.trello.errors import TrelloError, invalid_value
from butler_demo.trello.ids import short_link
from butler_demo.trello.records import POSITION_STEP, Action, Board, Card, CardList, Json, Label, stamp
from butler_demo.trello.state import State

Position = float | Literal["top", "bottom"]
_PLAIN = {"name": "name", "desc": "desc", "due": "due", "start": "start", "dueComplete": "done", "closed": "closed"}
"""Fields of a card that are simply set: the API's name, and ours."""


@dataclass(frozen=True)
class NewCard:
    """What somebody wants on a new card."""

    name: str
    desc: str = ""
    due: str | None = None
    start: str | None = None
    done: bool = False
    closed: bool = False
    label_ids: Sequence[str] = ()
    member_ids: Sequence[str] = ()
    pos: Position = "bottom"


class Editor:
    """Changes the state in the name of a member. Raises TrelloError for what Trello would refuse."""

    def __init__(self, state: State) -> None:
        self._state = state

    # --- lists and labels

    def add_list(self, board: Board, name: str, by: str, pos: Position = "bottom") -> CardList:
        """Open a list on a board."""
        added = CardList(self._state.ids.new(self._state.now()), board.id, name, self._list_position(board.id, pos))
        self._state.lists[added.id] = added
        self._state.log("createList", by, board.id, {"list": _named(added)})
        return added

    def change_list(self, changed: CardList, fields: Json, by: str) -> None:
        """Rename, archive or move a list within its board."""
        changed.name = fields.get("name", changed.name)
        changed.closed = fields.get("closed", changed.closed)
        if "pos" in fields:
            changed.pos = self._list_position(changed.board_id, fields["pos"])
        self._state.log("updateList", by, changed.board_id, {"list": _named(changed)})

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

    # --- cards

    def add_card(self, into: CardList, new: NewCard, by: str, at: datetime | None = None) -> Card:
        """Put a card into a list; `at` is when it was made, now unless it is said."""
        at = at or self._state.now()
        board = self._state.boards[into.board_id]
        self._check_labels(board.id, new.label_ids, "idLabels")
        self._check_members(board.id, new.member_ids, "idMembers")
        board.cards_made += 1
        card_id = self._state.ids.new(at)
        link = short_link(card_id)
        pos = self._position(into, new.pos)
        card = Card(card_id, board.cards_made, link, board.id, into.id, new.name, pos, at)
        card.desc, card.due, card.start = new.desc, new.due, new.start
        card.done, card.closed = new.done, new.closed
        card.label_ids, card.member_ids = list(dict.fromkeys(new.label_ids)), list(dict.fromkeys(new.member_ids))
        self._state.put_card(card)
        self._state.log("createCard", by, board.id, {"card": _told(card), "list": _named(into)}, card_id=card.id, at=at)
        return card

    def change_card(self, card: Card, fields: Json, by: str) -> None:
        """Set what a PUT names; all of it is checked before anything is done."""
        target = self._target(card, fields, by)
        self._check_labels(target.board_id, fields.get("idLabels", ()), "idLabels")
        self._check_members(target.board_id, fields.get("idMembers", ()), "idMembers")
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
        self._set_plain(card, fields, by)
        card.last_activity = self._state.now()

    def _assign_only(self, card: Card, member_ids: Sequence[str], by: str) -> None:
        for member_id in [each for each in card.member_ids if each not in member_ids]:
            self.unassign(card, member_id, by)
        for member_id in [each for each in dict.fromkeys(member_ids) if each not in card.member_ids]:
            self.assign(card, member_id, by)

    def _set_plain(self, card: Card, fields: Json, by: str) -> None:
        for name, own in _PLAIN.items():
            if name in fields and fields[name] != getattr(card, own):
                old = {name: getattr(card, own)}
                setattr(card, own, fields[name])
                self._update(card, by, {"card": {**_told(card), name: fields[name]}, "old": old})

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
        self._deed("addMemberToCard", card, by, {"idMember": member_id})

    def unassign(self, card: Card, member_id: str, by: str) -> None:
        """Take a member from a card."""
        if member_id not in card.member_ids:
            raise TrelloError(400, "member is not on the card")
        card.member_ids.remove(member_id)
        self._deed("removeMemberFromCard", card, by, {"idMember": member_id})

    def comment(self, card: Card, text: str, by: str) -> Action:
        """Write a comment."""
        card.comments += 1
        return self._deed("commentCard", card, by, {"text": text, "list": self._list_of(card)})

    def delete_card(self, card: Card, by: str) -> None:
        """Delete a card for good."""
        about = {"card": {"id": card.id, "idShort": card.number, "shortLink": card.link}, "list": self._list_of(card)}
        self._state.remove_card(card)
        self._state.log("deleteCard", by, card.board_id, about, card_id=card.id)

    # --- how cards move

    def _target(self, card: Card, fields: Json, by: str) -> CardList:
        """The list in which the card is to hang: of another board only if that board is named too."""
        board_id = fields.get("idBoard", card.board_id)
        board = self._state.boards.get(board_id)
        if board is None or by not in board.member_ids:
            raise invalid_value("idBoard")
        if "idList" in fields:
            target = self._state.lists.get(fields["idList"])
            if target is None or target.board_id != board_id:
                raise invalid_value("idList")
            return target
        if board_id == card.board_id:
            return self._state.lists[card.list_id]
        open_lists = [each for each in self._state.lists_of(board_id) if not each.closed]
        if not open_lists:
            raise invalid_value("idBoard")
        return open_lists[0]

    def _move(self, card: Card, target: CardList, by: str) -> None:
        before, old_board = self._list_of(card), self._state.boards[card.board_id]
        self._state.rehang(card, target.id)
        target.lowest_free = max(target.lowest_free, card.pos + POSITION_STEP)
        if old_board.id == target.board_id:
            told = {"card": {**_told(card), "idList": target.id}, "old": {"idList": before["id"]}}
            self._update(card, by, {**told, "listBefore": before, "listAfter": _named(target)})
            return
        new_board = self._state.boards[target.board_id]
        card.label_ids = self._labels_there(card.label_ids, new_board.id)
        card.member_ids = [member_id for member_id in card.member_ids if member_id in new_board.member_ids]
        new_board.cards_made += 1
        card.number = new_board.cards_made
        about = {"card": _told(card), "list": _named(target)}
        source = {"boardSource": {"id": old_board.id, "name": old_board.name}}
        self._state.log("moveCardToBoard", by, new_board.id, {**about, **source}, card_id=card.id)
        target_board = {"boardTarget": {"id": new_board.id, "name": new_board.name}}
        self._state.log("moveCardFromBoard", by, old_board.id, {**about, **target_board}, card_id=card.id)

    def _labels_there(self, label_ids: Sequence[str], board_id: str) -> list[str]:
        """The other board's labels of the same names and colours; those that it has not are made."""
        there = {(label.name, label.color): label.id for label in reversed(self._state.labels_of(board_id))}
        ids: list[str] = []
        for label_id in label_ids:
            label = self._state.labels[label_id]
            known = there.get((label.name, label.color))
            ids.append(known or self.add_label(board_id, label.name, label.color).id)
        return ids

    def _position(self, target: CardList, pos: Position) -> float:
        if pos == "top":
            return self._state.highest_position(target.id) / 2
        place = target.lowest_free if pos == "bottom" else float(pos)
        target.lowest_free = max(target.lowest_free, place + POSITION_STEP)
        return place

    def _list_position(self, board_id: str, pos: Position) -> float:
        places = [each.pos for each in self._state.lists_of(board_id)]
        if pos == "top":
            return min(places, default=2 * POSITION_STEP) / 2
        return max(places, default=0.0) + POSITION_STEP if pos == "bottom" else float(pos)

    # --- what is checked and told

    def _check_labels(self, board_id: str, label_ids: Sequence[str], name: str) -> None:
        labels = [self._state.labels.get(label_id) for label_id in label_ids]
        if any(label is None or label.board_id != board_id for label in labels):
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
    return {"id": card.id, "name": card.name, "idShort": card.number, "shortLink": card.link}


def as_due(due: datetime | str | None) -> str | None:
    """Return a due date as Trello writes it, whatever the form it was given in."""
    return stamp(due) if isinstance(due, datetime) else due
