"""What the conformance suite needs of each remote adapter: a server to talk to, and the faults it can have."""

from collections.abc import Hashable, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from butler.contract.adapters import RemoteIntegration
from butler.contract.module import Module


class Fault(StrEnum):
    """What may go wrong with any server; each maps to one integration code."""

    WRONG_KEY = "AUTH_REQUIRED"
    NOT_FOUND = "NOT_FOUND"
    RATE_LIMITED = "RATE_LIMITED"
    TIMEOUT = "TIMEOUT"
    MALFORMED = "INVALID_OUTPUT"
    DOWN = "UNAVAILABLE"


@dataclass(frozen=True, slots=True)
class Drive:
    """One operation: arguments that work, and some that name what is not there (None: nothing can be missing)."""

    operation: str
    args: dict[str, Any]
    missing: dict[str, Any] | None = None
    wrong: dict[str, Any] = field(default_factory=lambda: {"no_such_argument": 1})
    """Arguments that the contract refuses before any call."""


class Subject(Protocol):
    """One adapter on its server, real or ours; made anew for each test by a `subject()` of tests/adapters/subjects."""

    module: Module
    integration: RemoteIntegration
    secrets: Sequence[str]
    """Keys and passwords in use: they may stand in no result, log line or error."""
    drives: Sequence[Drive]
    """One for each operation of the contract."""

    async def state(self) -> Hashable:
        """What the server holds, by the server's own word: a dry run changes nothing of it."""
        ...

    async def calls(self) -> int:
        """How many requests have reached the server; -1 where it cannot tell."""
        ...

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        """While it is open, calls meet this fault. Raises `NotImplementedError` only where no such fault can exist."""
        ...
