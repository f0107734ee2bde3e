"""`[modules.trello.user]`: the person's boards at Trello, through one account or several."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

KEY, TOKEN = "USER_TRELLO_KEY", "USER_TRELLO_TOKEN"
AccountName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,29}$")]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class TrelloSettings(_Settings):
    """An account at Trello."""

    provider: Literal["trello"] = "trello"
    """`trello`."""
    key_env: str = KEY
    """The variable that holds your API key; `butler login trello` seals it under this name."""
    token_env: str = TOKEN
    """The variable that holds the token of this account; `butler login trello` seals it under this name."""
    api_root: Annotated[str, Field(pattern=r"^https?://[^?#]+/$")] = "https://api.trello.com/1/"
    """The API's address, with a slash at its end."""
    requests_per_10s: int = Field(default=95, ge=1)
    """Requests in ten seconds at most; Trello refuses more than 100 of a token."""
    enabled: bool = True
    """Whether it is in use."""


class FirstTrelloSettings(TrelloSettings):
    """The person's first account."""

    account: AccountName = "main"
    """This account's name, by which you tell it from others."""
    accounts: dict[AccountName, TrelloSettings] = {}
    """Further accounts by name, each with the same settings as this one."""

    @field_validator("accounts", mode="before")
    @classmethod
    def _fill_in(cls, accounts: Any) -> Any:
        """A further account's token is called like the first one's, with its name behind; the key is the same."""
        if not isinstance(accounts, Mapping):
            return accounts
        named = cast("Mapping[str, Any]", accounts)
        return {name: _further(name, section) for name, section in named.items()}

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        if self.account in self.accounts:
            raise ValueError(f"two accounts are called {self.account}; give one of them another name")
        return self


class TrelloModuleSettings(_Settings):
    """`[modules.trello]`."""

    user: FirstTrelloSettings | None = None

    def user_accounts(self) -> dict[str, TrelloSettings]:
        """The person's accounts that are in use, by name, the default one first."""
        if self.user is None:
            return {}
        every = {self.user.account: self.user, **self.user.accounts}
        return {name: account for name, account in every.items() if account.enabled}


def _further(name: str, section: Any) -> Any:
    if not isinstance(section, Mapping):
        return section
    suffix = name.upper().replace("-", "_")
    return {"token_env": f"{TOKEN}_{suffix}", **cast("Mapping[str, Any]", section)}
