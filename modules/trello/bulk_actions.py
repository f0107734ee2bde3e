"""The bulk actions on cards, and the texts about each."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from enum import StrEnum

from butler.contract.bulk import BulkWords
from butler.contract.speech import phrase, say
from butler.contract.tables import table


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

_TEXTS = table("modules.trello", "texts")
_SAID: Mapping[str, Sequence[str]] = _TEXTS["bulk"]
_BACK: Mapping[str, Sequence[str]] = _TEXTS["bulk_back"]
_TOLD = phrase("Trello tells whoever is put on a card.")


def words_of(action: CardAction, *, back: bool = False) -> BulkWords:
    """Return the texts about an action; with `back`, about undoing a move or a due date."""
    if back and action in _BACK:
        return BulkWords(*map(say, _BACK[action]))
    words = BulkWords(*map(say, _SAID[action]))
    return replace(words, for_good=say(_TOLD)) if action is CardAction.ASSIGN else words
