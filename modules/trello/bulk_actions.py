"""The bulk actions on cards, and the texts about each."""

from enum import StrEnum

from butler.contract.bulk import BulkWords
from butler.contract.speech import phrase, say


class CardAction(StrEnum):
    """The actions, by their tools' names without `_card`."""

    MOVE = "move"
    ARCHIVE = "archive"
    UNARCHIVE = "unarchive"
    LABEL = "label"
    UNLABEL = "unlabel"
    ASSIGN = "assign"
    UNASSIGN = "unassign"
    DUE = "due"


OPPOSITE = {
    CardAction.ARCHIVE: CardAction.UNARCHIVE,
    CardAction.UNARCHIVE: CardAction.ARCHIVE,
    CardAction.LABEL: CardAction.UNLABEL,
    CardAction.UNLABEL: CardAction.LABEL,
    CardAction.ASSIGN: CardAction.UNASSIGN,
    CardAction.UNASSIGN: CardAction.ASSIGN,
}
"""The action that undoes another; moving and setting a due date are undone per card, to its former state."""

_SAID: dict[CardAction, tuple[str, str, str, str]] = {
    CardAction.MOVE: (
        phrase("Moves cards to another list on Trello"),
        phrase("Moving cards"),
        phrase("Cards moved"),
        phrase("They keep their dates and labels; on another board, they lose members who are not on it."),
    ),
    CardAction.ARCHIVE: (
        phrase("Archives cards on Trello"),
        phrase("Archiving cards"),
        phrase("Cards archived"),
        phrase("They stay in the board's archive, and can be brought back."),
    ),
    CardAction.UNARCHIVE: (
        phrase("Brings archived cards back on Trello"),
        phrase("Bringing cards back"),
        phrase("Cards brought back"),
        "",
    ),
    CardAction.LABEL: (
        phrase("Puts a label on cards on Trello"),
        phrase("Putting a label on cards"),
        phrase("Label put on cards"),
        phrase("They stay where they are."),
    ),
    CardAction.UNLABEL: (
        phrase("Takes a label off cards on Trello"),
        phrase("Taking a label off cards"),
        phrase("Label taken off cards"),
        phrase("They stay where they are."),
    ),
    CardAction.ASSIGN: (
        phrase("Puts somebody on cards on Trello"),
        phrase("Putting somebody on cards"),
        phrase("Somebody put on cards"),
        "",
    ),
    CardAction.UNASSIGN: (
        phrase("Takes somebody off cards on Trello"),
        phrase("Taking somebody off cards"),
        phrase("Somebody taken off cards"),
        "",
    ),
    CardAction.DUE: (
        phrase("Sets when cards on Trello are due"),
        phrase("Setting due dates"),
        phrase("Due dates set"),
        "",
    ),
}
_BACK: dict[CardAction, tuple[str, str, str]] = {
    CardAction.MOVE: (
        phrase("Puts cards on Trello back where they were"),
        phrase("Putting cards back"),
        phrase("Cards put back"),
    ),
    CardAction.DUE: (
        phrase("Gives cards on Trello the due dates that they had"),
        phrase("Putting due dates back"),
        phrase("Due dates put back"),
    ),
}


_TOLD = phrase("Trello tells whoever is put on a card.")


def words_of(action: CardAction, *, back: bool = False) -> BulkWords:
    """Return the texts about an action; with `back`, about undoing a move or a due date."""
    if back and action in _BACK:
        does, doing, did = _BACK[action]
        return BulkWords(say(does), say(doing), say(did))
    does, doing, did, stays = _SAID[action]
    text = say(_TOLD) if action is CardAction.ASSIGN else ""
    return BulkWords(say(does), say(doing), say(did), say(stays) if stays else "", text)
