"""`[modules.calendar.user]`: the person's Google Calendar, one account or several."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self, cast

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

CREDENTIALS = "USER_CALENDAR_OAUTH_JSON"
AccountName = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_-]{0,29}$")]


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class CalendarSettings(_Settings):
    """An account at Google Calendar, of which events are read, and changed once you approve it."""

    provider: Literal["google_calendar"] = "google_calendar"
    """`google_calendar`."""
    credentials_env: str = CREDENTIALS
    """The variable that holds google-auth's authorized_user JSON; `butler login calendar` seals it under this name."""
    client: str = ""
    """The file of your OAuth client (`client_secret_....json`) as Google gave it; `butler login calendar` needs it."""
    api_root: Annotated[str, Field(pattern=r"^https?://[^/?#]+/$")] = "https://www.googleapis.com/"
    """The Calendar API's address, with a slash at its end."""
    requests_per_minute: int = Field(default=600, ge=10)
    """What Google allows your project for one user; what acts on many events leaves a fifth of it free."""
    enabled: bool = True
    """Whether it is in use."""


class FirstCalendarSettings(CalendarSettings):
    """The person's first account."""

    account: AccountName = "main"
    """This account's name, by which you tell it from others."""
    accounts: dict[AccountName, CalendarSettings] = {}
    """Further accounts by name, each with the same settings as this one."""

    @field_validator("accounts", mode="before")
    @classmethod
    def _fill_in(cls, accounts: Any) -> Any:
        """A further account's variable is called like the first one's, with its name behind."""
        if not isinstance(accounts, Mapping):
            return accounts
        named = cast("Mapping[str, Any]", accounts)
        return {name: _further(name, section) for name, section in named.items()}

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        if self.account in self.accounts:
            raise ValueError(f"two accounts are called {self.account}; give one of them another name")
        return self


class CalendarModuleSettings(_Settings):
    """`[modules.calendar]`."""

    user: FirstCalendarSettings | None = None

    def user_accounts(self) -> dict[str, CalendarSettings]:
        """The person's accounts that are in use, by name, the default one first."""
        if self.user is None:
            return {}
        every = {self.user.account: self.user, **self.user.accounts}
        return {name: account for name, account in every.items() if account.enabled}


def _further(name: str, section: Any) -> Any:
    if not isinstance(section, Mapping):
        return section
    suffix = name.upper().replace("-", "_")
    return {"credentials_env": f"{CREDENTIALS}_{suffix}", **cast("Mapping[str, Any]", section)}
