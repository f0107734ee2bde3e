"""The arguments of the tools that act on many cards: named ones, or all that meet the criteria."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field, NaiveDatetime, model_validator

from butler.contract.bulk_tool import BulkArgs
from butler.contract.tools import ArgRole, InZone, ToolMetadata
from modules.trello.args import Line, Named

MOST_NAMED = 1_000


class CardSelection(BulkArgs):
    """Cards by their ids or addresses (`cards`), or all that hold what is said of them.

    They lie on `board`, in the list `in_list`, bear `label`, have all `words` in their name or description, are
    `assigned` to somebody ("me" for the person), are due before `due_before`, or are `overdue` (due, and not done).
    None of `keep` is among them: a label, a list, somebody on a card, or words of its name.
    Without a board, all boards are looked at.
    """

    cards: Annotated[tuple[Named, ...], Field(max_length=MOST_NAMED)] = ()
    board: Line = ""
    in_list: Line = ""
    label: Line = ""
    words: Line = ""
    assigned: Line = ""
    due_before: NaiveDatetime | None = None
    overdue: bool = False
    keep: Annotated[tuple[Line, ...], Field(max_length=50)] = ()

    @model_validator(mode="after")
    def _says_which(self) -> "CardSelection":
        items = {
            name for name in CardSelection.model_fields if name not in BulkArgs.model_fields and getattr(self, name)
        }
        if not items - {"keep"}:
            raise ValueError("say which cards: of which board or list, with which label or words, or which one")
        if self.cards and items != {"cards"}:
            raise ValueError("cards are named, or found by what is said of them, but not both at once")
        searched = (*self.keep, *filter(None, (self.words,)))
        if not all(any(map(str.isalnum, one)) for one in searched):
            raise ValueError("words to look for need a letter or a digit: any card would do without one")
        return self


class MoveSelection(CardSelection):
    """The same, and where they are moved: to a list of their own board, or of `to_board`.

    With a board alone, to its first list.
    """

    to_list: Line = ""
    to_board: Line = ""

    @model_validator(mode="after")
    def _says_where(self) -> "MoveSelection":
        if not self.to_list.strip() and not self.to_board.strip():
            raise ValueError("say where the cards are moved: to which list, or to which board")
        return self


class LabelSelection(CardSelection):
    """The same, and the label that is put on or taken off."""

    name: Named


class PersonSelection(CardSelection):
    """The same, and who is put on or taken off: a member of the board, or "me" for the person."""

    person: Named


class DueSelection(CardSelection):
    """The same, and when they are due; null takes the due date off."""

    due: NaiveDatetime | None
    in_zone: InZone = ""


_TARGET, _CONTENT, _OPTION = ArgRole.TARGET, ArgRole.CONTENT, ArgRole.OPTION
_OPTIONS = ("due_before", "overdue", "account", "snapshot")
_SELECTION = {name: _OPTION if name in _OPTIONS else _TARGET for name in CardSelection.model_fields}

SELECTION_ROLES: Mapping[type[CardSelection], ToolMetadata] = {
    CardSelection: ToolMetadata(_SELECTION),
    MoveSelection: ToolMetadata({**_SELECTION, "to_list": _TARGET, "to_board": _TARGET}),
    LabelSelection: ToolMetadata({**_SELECTION, "name": _OPTION}),
    PersonSelection: ToolMetadata({**_SELECTION, "person": _TARGET}),
    DueSelection: ToolMetadata({**_SELECTION, "due": _CONTENT, "in_zone": _OPTION}),
}
"""The role of each argument, by the tool's model."""
