"""`[modules.email]`: the butler's own mailbox and the person's Gmail, with credentials apart by identity."""

import re
from dataclasses import dataclass
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

_DURATION = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)")
_SECONDS = {"s": 1.0, "m": 60.0, "h": 3600.0}
_PORTS = {"imap": 143, "imaps": 993, "smtp": 25, "smtps": 465, "smtp+starttls": 587}


def _to_seconds(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    match = _DURATION.fullmatch(value.strip())
    if match is None:
        raise ValueError('write a duration such as "60s" or "2m"')
    return float(match[1]) * _SECONDS[match[2]]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A mail server as its address names it."""

    scheme: str
    host: str
    port: int

    @property
    def encrypted(self) -> bool:
        return self.scheme not in {"imap", "smtp"}


def endpoint(url: str) -> Endpoint:
    """Take a mail server's address apart; ValueError says what is wrong with it."""
    parts = urlsplit(url)
    if parts.scheme not in _PORTS or not parts.hostname:
        raise ValueError(f"write the server as SCHEME://HOST:PORT with one of {', '.join(_PORTS)}")
    if parts.username or parts.password or parts.path.strip("/") or parts.query:
        raise ValueError("the server's address is only SCHEME://HOST:PORT; name the credentials by address_env")
    return Endpoint(parts.scheme, parts.hostname, parts.port or _PORTS[parts.scheme])


def _imap_url(url: str) -> str:
    if not endpoint(url).scheme.startswith("imap"):
        raise ValueError("imap wants imaps://HOST:993 (or imap:// on a trusted network)")
    return url


def _smtp_url(url: str) -> str:
    if not endpoint(url).scheme.startswith("smtp"):
        raise ValueError("smtp wants smtp+starttls://HOST:587 or smtps://HOST:465 (or smtp:// on a trusted network)")
    return url


Seconds = Annotated[float, BeforeValidator(_to_seconds)]


class BotMailboxSettings(BaseModel):
    """The butler's own mailbox over IMAP and SMTP."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    provider: Literal["smtp_imap"] = "smtp_imap"
    """Which integration serves it; there is one."""
    address_env: str = "BUTLER_EMAIL_ADDRESS"
    """The variable that holds the butler's mail address."""
    password_env: str = "BUTLER_EMAIL_PASSWORD"  # noqa: S105 - the name of a variable
    """The variable that holds the mailbox's password."""
    imap: Annotated[str, AfterValidator(_imap_url)]
    """Where mail is read, such as `imaps://imap.home.example:993`."""
    smtp: Annotated[str, AfterValidator(_smtp_url)]
    """Where mail is sent, such as `smtp+starttls://smtp.home.example:587`."""
    tls_ca: str = ""
    """A CA file for a private server; empty means the system's."""
    authserv_id: str = ""
    """Whose `Authentication-Results` are believed; empty means nobody's."""
    auth: Literal["password", "xoauth2"] = "password"
    """With `xoauth2`, `password_env` names the variable that holds the access token."""
    poll_interval: Seconds = Field(default=60.0, ge=1.0, le=300.0)
    """Seconds between two looks that do not rely on IDLE; five minutes at most, so that silence is noticed."""
    enabled: bool = True
    """Whether it is in use."""


class UserMailboxSettings(BaseModel):
    """The person's Gmail, through the API."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    provider: Literal["gmail_oauth"] = "gmail_oauth"
    """Which integration serves it; there is one."""
    credentials_env: str = "USER_EMAIL_OAUTH_JSON"
    """The variable that holds google-auth's authorized_user JSON."""
    api_root: Annotated[str, Field(pattern=r"^https?://[^/?#]+/$")] = "https://gmail.googleapis.com/"
    """The Gmail API's address, with a slash at its end."""
    enabled: bool = True
    """Whether it is in use."""


class EmailSettings(BaseModel):
    """`[modules.email.bot]` and `[modules.email.user]`; either may be left out."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    bot: BotMailboxSettings | None = None
    user: UserMailboxSettings | None = None
