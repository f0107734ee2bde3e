"""One checked request on its way to an operation."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from butler_demo.trello.editing import Editor
from butler_demo.trello.records import Json
from butler_demo.trello.selection import Page
from butler_demo.trello.state import State


@dataclass(frozen=True)
class CallRecord:
    """A request whose credentials and parameters were in order, for tests to look at."""

    operation: str
    path: Mapping[str, str]
    parameters: Mapping[str, object]
    at: datetime


@dataclass(frozen=True)
class Call:
    """Who asks, for what, and where it is done. Parameters are checked and have their types."""

    state: State
    editor: Editor
    member_id: str
    path: Mapping[str, str]
    parameters: Mapping[str, object]

    def text(self, name: str, default: str = "") -> str:
        """Return a text that may be missing."""
        return cast("str", self.parameters.get(name, default))

    def flag(self, name: str, *, default: bool = False) -> bool:
        """Return a truth value that may be missing."""
        return cast("bool", self.parameters.get(name, default))

    def number(self, name: str) -> int | None:
        """Return a whole number, None where it is missing."""
        value = self.parameters.get(name)
        return None if value is None else int(cast("float", value))

    def texts(self, name: str) -> list[str]:
        """Return a list of texts that may be missing."""
        return cast("list[str]", self.parameters.get(name, []))

    def given(self) -> Json:
        """Return all parameters that were given."""
        return dict(self.parameters)

    def size(self, name: str, usual: int) -> int:
        """Return how many are asked for, the usual number where nothing is said."""
        asked = self.number(name)
        return usual if asked is None else asked

    def page(self, limit: int | None) -> Page:
        """Return the page of at most `limit` between the dates asked for."""
        return Page(self.text("before"), self.text("since"), limit, coarse=self.state.coarse_paging)
