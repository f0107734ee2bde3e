"""What an API of Google's consists of, and the accounts that it knows."""

from collections.abc import Awaitable, Callable, Container, Mapping
from dataclasses import dataclass
from typing import Any

from butler_demo.google.call import Answer, Call
from butler_demo.google.description import Description


class UnknownAccountError(LookupError):
    """No account has this address; add it with `add_account` first."""


def registered(address: str, accounts: Container[str]) -> str:
    """Return an account's address in lower case. Raises UnknownAccountError."""
    if address.lower() not in accounts:
        raise UnknownAccountError(f"no account has the address {address}; add it first")
    return address.lower()


@dataclass(frozen=True)
class Served:
    """An operation that the stand-in has, and the parameters that it heeds: others are refused, not passed over."""

    perform: Callable[[Any], Awaitable[Answer]]
    takes: frozenset[str]


def served(perform: Callable[[Any], Awaitable[Answer]], parameters: str = "") -> Served:
    """Return the entry of an operation; `parameters` are names with blanks between them."""
    return Served(perform, frozenset(parameters.split()))


@dataclass(frozen=True)
class Service:
    """One API: its description, the operations that the stand-in has, and what a checked call gets along."""

    description: Description
    host: str
    """The name under which Google speaks of the service in errors."""
    operations: Mapping[str, Served]
    account: Callable[[str], str]
    """Returns the address of an account as it is written here. Raises UnknownAccountError."""
    context: Callable[[Call], Call]
    """Returns the call with all that its operation needs. Raises GoogleError."""
    names_status: bool = False
    """Whether errors carry `status`, as those of the newer APIs do."""
