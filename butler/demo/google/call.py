"""One checked call as an operation gets it, what it may answer, and the record of it."""

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple, TypeAlias, TypeVar

from butler.demo.google.description import Operation, Parameters, ParameterValue
from butler.demo.google.errors import GoogleError
from butler.demo.google.uploads import Media

Json: TypeAlias = dict[str, Any]
Item = TypeVar("Item")
_UNPAGED = frozenset({"pageToken", "maxResults", "pageSize"})


@dataclass(frozen=True)
class Download:
    """Content instead of JSON."""

    data: bytes
    type: str


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
    media: Media | None
    downloads: bool
    address: str
    scopes: frozenset[str]
    now: datetime
    headers: Mapping[str, str]
    root: str
    selected: frozenset[str]
    """The top-level names of the partial answer that is asked for, empty where the usual answer is."""

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

    def page(self, items: Sequence[Item], size: int, refusal: GoogleError) -> tuple[Sequence[Item], Json]:
        """Return the page asked for, and the answer's `nextPageToken` where there is more.

        A token belongs to the list that gave it: with other parameters it is refused, by raising `refusal`.
        """
        kept = {name: value for name, value in self.parameters.items() if name not in _UNPAGED}
        digest = hashlib.sha256(repr((self.operation.id, self.address, sorted(kept.items()))).encode()).hexdigest()[:16]
        start = 0
        if token := self.text("pageToken"):
            start = _offset(token, digest)
            if start < 0:
                raise refusal
        end = start + size
        return items[start:end], {"nextPageToken": _token(end, digest)} if end < len(items) else {}


def _token(offset: int, digest: str) -> str:
    return base64.urlsafe_b64encode(json.dumps([offset, digest]).encode()).decode().rstrip("=")


def _offset(token: str, digest: str) -> int:
    try:
        offset, of_list = json.loads(base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)))
    except (ValueError, TypeError):
        return -1
    return offset if of_list == digest and isinstance(offset, int) else -1
