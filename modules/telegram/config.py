"""The `[modules.telegram]` section: the butler's bot and the person's own accounts, each with its own credentials."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, Self, cast

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, field_validator, model_validator

from butler.contract.errors import Refuse
from butler.contract.records import ClosedRecord
from modules.telegram.address import Address

SESSION_VARIABLE = "USER_TELEGRAM_SESSION"
API_HASH_VARIABLE = "USER_TELEGRAM_API_HASH"

_ACCOUNT = re.compile(r"[a-z][a-z0-9_-]{0,29}")
_API_URL = re.compile(r"https?://[^/\s?#]+(/[^\s?#]*)?")
_DATA_CENTRE = re.compile(r"(?P<number>\d+) (?P<host>\S+):(?P<port>\d+) (?P<key_file>\S.*)")


@dataclass(frozen=True, slots=True)
class DataCentre:
    """A data centre of one's own: where it listens, and the file with its public RSA key (PKCS#1 PEM)."""

    number: int
    host: str
    port: int
    key_file: Path

    @classmethod
    def parse(cls, text: str) -> "DataCentre":
        """Parse `ID HOST:PORT PUBLIC_KEY_FILE`; raise `ValueError`."""
        match = _DATA_CENTRE.fullmatch(text.strip())
        if match is None:
            raise ValueError('write dc as "ID HOST:PORT PUBLIC_KEY_FILE", or leave it empty for Telegram itself')
        return cls(int(match["number"]), match["host"], int(match["port"]), Path(match["key_file"]))


class BotSettings(BaseModel):
    """The butler's own bot."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    provider: Literal["telegram_bot_api"] = "telegram_bot_api"
    """Which integration serves it; there is one."""
    token_env: str = "BUTLER_TELEGRAM_TOKEN"  # noqa: S105 - a variable's name, not a token
    """The variable that holds the token of @BotFather."""
    api_base_url: str = "https://api.telegram.org"
    """The Bot API server, without the token."""
    mode: str = "polling"
    """How updates come in: `polling`, or `webhook` where Telegram can reach `[web] public_url`."""
    webhook_secret_env: str = ""
    """For `webhook`: the variable that holds what Telegram shows with every update; empty, one is made and sealed."""
    webhook_connections: int = Field(default=10, ge=1, le=100)
    """For `webhook`: how many updates Telegram sends at once."""
    webhook_fallback: bool = True
    """For `webhook`: whether to poll instead, and say so, once Telegram has not got through for ten minutes."""
    enabled: bool = True
    """Whether it is in use."""
    allowed_groups: tuple[int, ...] = ()
    """Chat ids of the groups the bot listens to; it ignores all others."""

    @field_validator("mode")
    @classmethod
    def _known_mode(cls, mode: str) -> str:
        if mode not in {"polling", "webhook"}:
            raise ValueError('set mode = "polling" or mode = "webhook"')
        return mode

    @field_validator("api_base_url")
    @classmethod
    def _web_address(cls, url: str) -> str:
        if not _API_URL.fullmatch(url):
            raise ValueError("write api_base_url as https://HOST, without the token")
        return url.rstrip("/")


def _chat(text: str) -> str:
    """Parse an address without a topic, or a bare public name."""
    try:
        address = Address.parse(f"telegram:{text}" if text.startswith("@") else text)
    except Refuse as error:
        raise ValueError(error.detail) from None
    if address.thread_id is not None:
        raise ValueError(f"write {text!r} without its topic: a chat is left out as a whole")
    return str(address).lower()


ChatAddress = Annotated[str, AfterValidator(_chat)]


class AccountSettings(BaseModel):
    """One of the person's own accounts, reached through a signed-in session."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    provider: Literal["telegram_client"] = "telegram_client"
    """Which integration serves it; there is one."""
    credentials_env: str = SESSION_VARIABLE
    """The variable with the session, a full credential of the account; a further account's ends in its name."""
    api_id: int = Field(default=0, ge=0)
    """The application's id from my.telegram.org; a further account without one uses the first one's application."""
    api_hash_env: str = API_HASH_VARIABLE
    """The variable with the application's hash from my.telegram.org."""
    dc: str = ""
    """`ID HOST:PORT PUBLIC_KEY_FILE` of a test data centre; empty for Telegram itself."""
    muted: tuple[ChatAddress, ...] = ()
    """Chats that are kept and are no news, as `telegram:<id>` or `@name`."""
    follow_mutes: bool = True
    """Whether a chat that is muted in Telegram counts as muted."""
    excluded: tuple[ChatAddress, ...] = ()
    """Chats that are never read, kept or shown, as `telegram:<id>` or `@name`."""
    history: int = Field(default=200, ge=0, le=100_000)
    """How many messages of a chat are read when it is seen for the first time; 0 for none."""
    largest_file_mb: int = Field(default=50, ge=0, le=4000)
    """Larger files, in megabytes, are named and not fetched."""
    enabled: bool = True
    """Whether it is in use."""

    @field_validator("dc")
    @classmethod
    def _data_centre(cls, text: str) -> str:
        if text:
            DataCentre.parse(text)
        return text

    @property
    def data_centre(self) -> DataCentre | None:
        """Return the test data centre, if any."""
        return DataCentre.parse(self.dc) if self.dc else None


class UserSettings(AccountSettings):
    """The person's own accounts: the first one, and further ones by name."""

    account: str = "main"
    """What the first account is called."""
    accounts: dict[str, AccountSettings] = Field(default_factory=dict[str, AccountSettings])
    """Further accounts by name, each with the same settings as this one."""

    @model_validator(mode="before")
    @classmethod
    def _defaults_of_further_accounts(cls, section: Any) -> Any:
        """Fill in further accounts: variables of their own, and the first one's application unless they name one."""
        if not isinstance(section, dict):
            return section
        own: dict[str, Any] = dict(cast("dict[str, Any]", section))
        further = own.get("accounts")
        if isinstance(further, dict):
            named = cast("dict[str, Any]", further).items()
            own["accounts"] = {name: _with_defaults(name, account, own) for name, account in named}
        return own

    @model_validator(mode="after")
    def _distinct_accounts(self) -> Self:
        for name in (self.account, *self.accounts):
            if not _ACCOUNT.fullmatch(name):
                raise ValueError(f"call the account {name!r} by small letters, digits, - and _, 30 at most")
        if self.account in self.accounts:
            raise ValueError(f"two accounts are called {self.account!r}")
        variables = [self.credentials_env, *(account.credentials_env for account in self.accounts.values())]
        if len(set(variables)) < len(variables):
            raise ValueError("each account needs a credentials_env of its own")
        return self

    @property
    def by_name(self) -> Mapping[str, AccountSettings]:
        """Return the enabled accounts, the default one first."""
        every: dict[str, AccountSettings] = {self.account: self, **self.accounts}
        return {name: account for name, account in every.items() if account.enabled}


def _with_defaults(name: str, account: Any, first: Mapping[str, Any]) -> Any:
    if not isinstance(account, dict):
        return account
    ending = f"_{name.upper().replace('-', '_')}"
    filled: dict[str, Any] = {"credentials_env": SESSION_VARIABLE + ending, **cast("dict[str, Any]", account)}
    if "api_id" in filled:
        return {"api_hash_env": API_HASH_VARIABLE + ending, **filled}
    shared = {key: first[key] for key in ("api_id", "api_hash_env", "dc") if key in first}
    return {**shared, **filled}


class TelegramSettings(ClosedRecord):
    """Both identities. A missing one is off."""

    bot: BotSettings | None = None
    user: UserSettings | None = None
