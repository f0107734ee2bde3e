"""One checked call as an operation gets it, what it may answer, and the record of it."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias, TypeVar

from butler_demo.google.description import Operation, Parameters, ParameterValue
from butler_demo.google.errors import GoogleError

Json: TypeAlias = dict[str, Any]
Item = TypeVar("Item")
_UNPAGED = frozenset({"pageToken", "maxResults", "pageSize"})


@dataclass(frozen=True)
class Download:
    """Content instead of JSON: all of it, or the range that was asked for."""

    data: bytes
    type: str
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict[str, str])


Answer: TypeAlias = Json | Download | None


class CallRecord(NamedTuple):
    """One API call that reached an operation, whatever its answer was."""

    operation: str
    params: Mapping[str, ParameterValue]
    address: str = ""
    body: Mapping[str, Any] = {}


@dataclass(frozen=True)
class Call:
    """A request whose parameters, body, token and scopes have been checked; `address` is the token's account."""

    operation: Operation
    parameters: Parameters
    body: Json
    downloads: bool
    address: str
    now: datetime
    headers: Mapping[str, str]
    root: str
    selected: frozenset[str]
    """The top-level names of the partial answer that is asked for, empty where the usual answer is."""

    def parts(self) -> dict[str, Any]:
        """Return what a call with more in it takes over."""
        return {each.name: getattr(self, each.name) for each in fields(Call)}

    def text(self, name: str) -> str:
        """Return a string parameter, empty if it was not given."""
        value = self.parameters.get(name, "")
        return value if isinstance(value, str) else str(value)

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a repeated parameter."""
        value = self.parameters.get(name, ())
        return value if isinstance(value, tuple) else (str(value),)

    def flag(self, name: str) -> bool:
        """Return a boolean parameter, False if it was not given."""
        return self.parameters.get(name) is True

    def number(self, name: str, default: int) -> int:
        """Return a whole-number parameter."""
        value = self.parameters.get(name)
        return int(value) if isinstance(value, str | int) and value else default

    def page(
        self, items: Sequence[Item], size: int, refusal: GoogleError, mark: int = 0
    ) -> tuple[Sequence[Item], Json]:
        """Return the page asked for, and the answer's `nextPageToken` where there is more.

        A token belongs to the list that gave it: with other parameters it is refused, by raising `refusal`. It carries
        `mark` to the pages that follow, see `mark`.
        """
        start, _ = self._place(refusal)
        end = start + size
        return items[start:end], {"nextPageToken": self._token(end, mark)} if end < len(items) else {}

    def mark(self, first: int, refusal: GoogleError) -> int:
        """Return the mark that the first page of this list was given, `first` if this is the first page."""
        return self._place(refusal)[1] if self.text("pageToken") else first

    def _place(self, refusal: GoogleError) -> tuple[int, int]:
        token = self.text("pageToken")
        if not token:
            return 0, 0
        try:
            offset, mark, digest = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
        except (ValueError, TypeError):
            raise refusal from None
        if digest != self._digest() or not isinstance(offset, int) or not isinstance(mark, int):
            raise refusal
        return offset, mark

    def _token(self, offset: int, mark: int) -> str:
        return base64.urlsafe_b64encode(json.dumps([offset, mark, self._digest()]).encode()).decode().rstrip("=")

    def _digest(self) -> str:
        kept = {name: value for name, value in self.parameters.items() if name not in _UNPAGED}
        return hashlib.sha256(repr((self.operation.id, self.address, sorted(kept.items()))).encode()).hexdigest()[:16]
