"""The arguments of the tools that act on many cards: named ones, or all that meet the criteria."""

from collections.abc import Mapping

from pydantic import Field, NaiveDatetime, model_validator

from butler.contract.bulk_tool import BulkArgs
from butler.contract.tools import ArgRole, InZone, ToolMetadata
from modules.trello.args import Assigned, Board, DueBefore, InList, Labelled, Line, Named, Overdue, Words

MOST_NAMED = 1_000


class CardSelection(BulkArgs):
    """Cards by their ids or addresses (`cards`), or all that hold what is said of them.

    They lie on `board`, in the list `in_list`, bear `label`, have all `words` in their name or description, are
    `assigned` to somebody ("me" for the person), are due before `due_before`, or are `overdue` (due, and not done).
    None of `keep` is among them: a label, a list, somebody on a card, or words of its name.
    Without a board, all boards are looked at.
    """

    cards: tuple[Named, ...] = Field(
        default=(),
        max_length=MOST_NAMED,
        description="Cards that were shown or found, or their addresses, instead of criteria.",
        examples=[[{"handle": "card-3"}]],
    )
    board: Board = ""
    in_list: InList = ""
    label: Labelled = ""
    words: Words = ""
    assigned: Assigned = ""
    due_before: DueBefore = None
    overdue: Overdue = False
    keep: tuple[Line, ...] = Field(
        default=(),
        max_length=50,
        description="Exceptions: a label, list or member, or words of a name.",
        examples=[["Urgent"]],
    )

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

    to_list: Line = Field(default="", description="List of their own board, or of `to_board`.", examples=["Done"])
    to_board: Line = Field(
        default="", description="Another board; without `to_list` its first list.", examples=["Work"]
    )

    @model_validator(mode="after")
    def _says_where(self) -> "MoveSelection":
        if not self.to_list.strip() and not self.to_board.strip():
            raise ValueError("say where the cards are moved: to which list, or to which board")
        return self


class LabelSelection(CardSelection):
    """The same, and the label that is put on or taken off."""

    name: Named = Field(description="Name or colour of the label put on or taken off.", examples=["Urgent"])


class PersonSelection(CardSelection):
    """The same, and who is put on or taken off: a member of the board, or "me" for the person."""

    person: Named = Field(description='A member of the board by name; "me" for the owner.', examples=["Anna"])


class DueSelection(CardSelection):
    """The same, and when they are due; null takes the due date off."""

    due: NaiveDatetime | None = Field(
        description="New local time; null takes the due date off.", examples=["2026-03-06T17:00"]
    )
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
