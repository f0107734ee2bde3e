"""What an API behind the common door consists of, and the accounts that it knows."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from butler_demo.google.call import Answer, Call
from butler_demo.google.description import Description


class UnknownAccountError(LookupError):
    """No account has this address; add it with `add_account` first."""


@dataclass(frozen=True)
class Served:
    """An operation that the stand-in has, and the parameters that it heeds: others are refused, not passed over."""

    perform: Callable[[Any], Awaitable[Answer]]
    takes: frozenset[str]


def served(perform: Callable[[Any], Awaitable[Answer]], parameters: str = "") -> Served:
    """Return the entry of an operation; `parameters` are names with blanks between them."""
    return Served(perform, frozenset(parameters.split()))


class Service(Protocol):
    """One API: its description, the operations that the stand-in has, and how a checked call is done."""

    description: Description
    host: str
    """The name under which Google speaks of the service in errors."""
    names_status: bool
    """Whether errors carry `status`, as those of the newer APIs do."""
    operations: Mapping[str, Served]

    def account(self, address: str) -> str:
        """Return the address of the account as it is written here. Raises UnknownAccountError."""
        ...

    async def perform(self, call: Call) -> Answer:
        """Do what the call asks. Raises GoogleError."""
        ...
