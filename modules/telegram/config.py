"""The `[modules.telegram]` section: the butler's bot and the person's own account, each with its own credentials."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, field_validator

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
        """Read `ID HOST:PORT PUBLIC_KEY_FILE`; raises `ValueError`."""
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
    """How updates come in; `webhook` is not available yet."""
    enabled: bool = True
    """Whether it is in use."""
    allowed_groups: tuple[int, ...] = ()
    """Chat ids of the groups the bot listens to; it ignores all others."""

    @field_validator("mode")
    @classmethod
    def _only_polling(cls, mode: str) -> str:
        if mode == "webhook":
            raise ValueError('webhook mode is not available in this version: set mode = "polling"')
        if mode != "polling":
            raise ValueError('set mode = "polling"')
        return mode

    @field_validator("api_base_url")
    @classmethod
    def _web_address(cls, url: str) -> str:
        if not _API_URL.fullmatch(url):
            raise ValueError("write api_base_url as https://HOST, without the token")
        return url.rstrip("/")


class UserSettings(BaseModel):
    """The person's own account, reached through a signed-in session."""

    model_config = ConfigDict(extra="forbid", frozen=True, use_attribute_docstrings=True)

    provider: Literal["telegram_client"] = "telegram_client"
    """Which integration serves it; there is one."""
    credentials_env: str = "USER_TELEGRAM_SESSION"
    """The variable with the session: a full credential of the account."""
    api_id: int = Field(default=0, ge=0)
    """The application's id from my.telegram.org."""
    api_hash_env: str = "USER_TELEGRAM_API_HASH"
    """The variable with the application's hash from my.telegram.org."""
    dc: str = ""
    """`ID HOST:PORT PUBLIC_KEY_FILE` of a test data centre; empty for Telegram itself."""
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
        """The test data centre, if there is one."""
        return DataCentre.parse(self.dc) if self.dc else None


class TelegramSettings(BaseModel):
    """Both identities. A missing one is off."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    bot: BotSettings | None = None
    user: UserSettings | None = None
