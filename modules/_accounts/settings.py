"""What the settings of every channel with accounts of the person's share: their names, and which of them are in use."""

from collections.abc import Mapping
from typing import Annotated, Any, Protocol, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field

AccountName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,29}$")]


class Section(BaseModel):
    """A table of the settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class _Switched(Protocol):
    @property
    def enabled(self) -> bool: ...


A = TypeVar("A", bound=_Switched)


def with_variables(accounts: Any, variables: Mapping[str, str]) -> Any:
    """Further accounts by name, as they were written, and what they leave out of `variables`.

    Each key's variable is called like the first account's, which stands there, with the account's name behind.
    """
    if not isinstance(accounts, Mapping):
        return accounts
    named = cast("Mapping[str, Any]", accounts)
    return {name: _filled(name, section, variables) for name, section in named.items()}


def _filled(name: str, section: Any, variables: Mapping[str, str]) -> Any:
    if not isinstance(section, Mapping):
        return section
    own = {key: variable_of(variable, name) for key, variable in variables.items()}
    return {**own, **cast("Mapping[str, Any]", section)}


def variable_of(variable: str, name: str) -> str:
    """What a further account's variable is called."""
    return f"{variable}_{name.upper().replace('-', '_')}"


def check_names(first: str, further: Mapping[str, object]) -> None:
    """Raise `ValueError` where a further account is called like the first one."""
    if first in further:
        raise ValueError(f"two accounts are called {first}; give one of them another name")


def in_use(name: str, first: A, further: Mapping[str, A]) -> dict[str, A]:
    """The accounts that are in use, by name, the first one first."""
    every = {name: first, **further}
    return {called: account for called, account in every.items() if account.enabled}
