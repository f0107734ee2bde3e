"""The result of a reader: blocks in reading order, and the reasons why a file may not be readable."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from butler.contract.speech import say

Box = tuple[float, float, float, float]
"""x1, y1, x2, y2 in points from the upper left corner of the page."""
Row = Sequence[str]

_LONGEST_NAME = 300
_MOST_FILES = 100


class Kind(StrEnum):
    """The kind of a block, and a chunk's `layout_type`, except for `LIST` and `CODE`, which become `TEXT`."""

    HEADING = "header"
    TEXT = "text"
    LIST = "list"
    CODE = "code"
    TABLE = "table"
    IMAGE = "image"
    NOTES = "notes"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a heading, a table or the like."""

    kind: Kind
    text: str = ""
    page: int | None = None
    level: int = 0
    """The level of a heading, 1 being the outermost."""
    box: Box | None = None
    rows: tuple[Row, ...] = ()
    """The rows of a table, its header first."""


@dataclass(slots=True)
class Document:
    """Everything that was read from a file."""

    blocks: list[Block] = field(default_factory=list[Block])
    metadata: dict[str, Any] = field(default_factory=dict[str, Any])
    problems: list[str] = field(default_factory=list[str])
    pages: int = 1

    def problem(self, sentence: str) -> None:
        """Report once what is missing or was left out."""
        if sentence not in self.problems:
            self.problems.append(sentence)

    def files(self, *names: str) -> None:
        """Record the names of embedded files, which are not read."""
        known: list[str] = self.metadata.setdefault("embedded_files", []) if names else []
        known += [name[:_LONGEST_NAME] for name in names if name not in known and len(known) < _MOST_FILES]

    def add(self, kind: Kind, text: str, *, page: int | None = None, level: int = 0, box: Box | None = None) -> None:
        """Add a block that holds text; skip an empty one."""
        if text.strip():
            self.blocks.append(Block(kind, text.strip(), page, level, box))

    def add_table(self, rows: Sequence[Row], *, page: int | None = None, box: Box | None = None) -> None:
        """Add a table; skip one without text."""
        filled = tuple(row for row in rows if any(cell.strip() for cell in row))
        if filled:
            self.blocks.append(Block(Kind.TABLE, "", page, 0, box, filled))


class UnreadableError(Exception):
    """Why a file cannot be read, as a sentence for the owner."""

    def __init__(self, sentence: str, why: str) -> None:
        super().__init__(sentence)
        self.sentence = sentence
        self.why = why
        """A code: `encrypted`, `wrong_password`, `damaged`, `unsupported`, `too_large`, `hostile`."""


class EncryptedError(UnreadableError):
    """A password is needed, or the given one does not open the file."""

    def __init__(self, *, tried: bool) -> None:
        if tried:
            super().__init__(say("The password does not open the file."), "wrong_password")
        else:
            super().__init__(say("The file is protected by a password."), "encrypted")


def damaged(what: str) -> UnreadableError:
    """Build the error for a truncated file, or one of another type than it says; `what` was marked by `phrase`."""
    sentence = say("The file is damaged: {what}. Ask for it to be sent again.", what=say(what))
    return UnreadableError(sentence, "damaged")


def unsupported(sentence: str) -> UnreadableError:
    """Build the error for an unsupported kind of file."""
    return UnreadableError(sentence, "unsupported")
