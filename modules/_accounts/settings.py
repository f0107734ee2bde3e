"""The settings that channels with the owner's accounts share: names, and which accounts are enabled."""

from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, Generic, Protocol, Self, TypeVar, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

AccountName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,29}$")]


class Section(BaseModel):
    """A table of the settings."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class _Switched(Protocol):
    @property
    def enabled(self) -> bool: ...


A = TypeVar("A", bound=_Switched)
S = TypeVar("S", bound=BaseModel)


class FirstAccount(Section, Generic[S]):
    """What the first account has besides the settings that all accounts have."""

    variables: ClassVar[Mapping[str, str]] = {}
    """The settings that name a variable, with their defaults: a further account's ends in the account's name."""

    account: AccountName = "main"
    """This account's name, by which you tell it from others."""
    accounts: dict[AccountName, S] = {}
    """Further accounts by name, each with the same settings as this one."""

    @field_validator("accounts", mode="before")
    @classmethod
    def _fill_in(cls, accounts: Any) -> Any:
        return with_variables(accounts, cls.variables)

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        check_names(self.account, self.accounts)
        return self


def with_variables(accounts: Any, variables: Mapping[str, str]) -> Any:
    """Return further accounts by name, with defaults for omitted `variables`.

    Each variable's default is the first account's, given in `variables`, followed by the account's name.
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
    """Return the name of a further account's variable."""
    return f"{variable}_{name.upper().replace('-', '_')}"


def check_names(first: str, further: Mapping[str, object]) -> None:
    """Raise `ValueError` if a further account has the first one's name."""
    if first in further:
        raise ValueError(f"two accounts are called {first}; give one of them another name")


def in_use(name: str, first: A, further: Mapping[str, A]) -> dict[str, A]:
    """Return the enabled accounts by name, the first one first."""
    every = {name: first, **further}
    return {called: account for called, account in every.items() if account.enabled}
