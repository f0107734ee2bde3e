"""The facts of earlier rounds that a planner may know: typed facts and handles, never anybody's text.

A fact is checked on creation: a word in it is a handle of this conversation or a code in capitals, and nothing that
somebody else wrote looks like either. Why a step failed is told in a sentence of the butler's code.
"""

import re
from dataclasses import dataclass
from datetime import date
from enum import StrEnum

from butler.contract.errors import Bug

HANDLE = re.compile(r"[a-z]{1,12}-[0-9]{1,6}", re.ASCII)
CODE = re.compile(r"[A-Z][A-Z_]{1,39}", re.ASCII)


class FactName(StrEnum):
    """The kinds of facts about a finished step."""

    OUTCOME = "outcome"
    """`OK`, or the code that it ended with, such as `NOT_FOUND`, `DENIED` or `ERR_MEMORY_NO_RESULTS`."""
    WHY = "why"
    """Why it failed, in a sentence of the butler's own."""
    COUNT = "count"
    """How many items it found."""
    COMPLETE = "complete"
    """Whether these are all the items that exist."""
    ITEM = "item"
    """The handle of one item; several are several facts, in order."""
    AT = "at"
    """When the item of the preceding fact was written, starts or is due."""


@dataclass(frozen=True, slots=True)
class OwnSentence:
    """A sentence that stands in the butler's code, without any value that others may have chosen.

    Only `safe_reason()` makes one.
    """

    text: str

    def __str__(self) -> str:
        """Return the sentence."""
        return self.text


@dataclass(frozen=True, slots=True)
class Fact:
    """One fact of one step; `step` counts on over all rounds of a request."""

    step: int
    tool: str
    name: FactName
    value: bool | int | date | str | OwnSentence

    def __post_init__(self) -> None:
        """Raise `Bug` for a text that is neither a handle nor a code."""
        if isinstance(self.value, str) and not (HANDLE.fullmatch(self.value) or CODE.fullmatch(self.value)):
            raise Bug("a planner is told handles and codes, no texts")
