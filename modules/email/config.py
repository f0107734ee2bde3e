"""`[modules.email]`: the butler's own mailbox and the owner's accounts, with separate credentials per identity.

The owner's first account is in `[modules.email.user]`, any others in `[modules.email.user.accounts.NAME]`.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self, cast
from urllib.parse import urlsplit

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    field_validator,
    model_validator,
)

from butler.contract.records import ClosedRecord
from modules._accounts.durations import Seconds
from modules._accounts.settings import AccountName, check_names, in_use, variable_of

_PORTS = {"imap": 143, "imaps": 993, "smtp": 25, "smtps": 465, "smtp+starttls": 587}


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
    """Parse a mail server's address; raise ValueError with what is wrong with it."""
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


class _Settings(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)


class MailServerSettings(_Settings):
    """A mailbox that is read over IMAP and sends over SMTP, whoever's it is."""

    address_env: str
    """The variable that holds the mailbox's address."""
    password_env: str
    """The variable that holds the mailbox's password."""
    auth: Literal["password", "xoauth2"] = "password"
    """How it is logged in to."""
    imap: Annotated[str, AfterValidator(_imap_url)]
    """Where mail is read, such as `imaps://imap.home.example:993`."""
    smtp: Annotated[str, AfterValidator(_smtp_url)]
    """Where mail is sent, such as `smtp+starttls://smtp.home.example:587`."""
    tls_ca: str = ""
    """A CA file for a private server; empty means the system's."""
    poll_interval: Seconds = Field(default=60.0, ge=1.0, le=300.0)
    """Seconds between two looks that do not rely on IDLE; five minutes at most, so that silence is noticed."""


class StandingAnswer(_Settings):
    """What the butler answers to everybody's mail from an address, where the mail is proved to come from there."""

    sender: Annotated[str, Field(alias="from", pattern=r"^[^@\s]+@[^@\s]+$"), AfterValidator(str.lower)]
    """The address, such as `anna@friends.example`."""
    text: Annotated[str, Field(min_length=1, max_length=4000)]
    """What is answered."""


class BotMailboxSettings(MailServerSettings):
    """The butler's own mailbox over IMAP and SMTP."""

    provider: Literal["smtp_imap"] = "smtp_imap"
    """Which integration serves it; there is one."""
    address_env: str = "BUTLER_EMAIL_ADDRESS"
    """The variable that holds the butler's mail address."""
    password_env: str = "BUTLER_EMAIL_PASSWORD"  # noqa: S105 - the name of a variable
    """The variable that holds the mailbox's password."""
    authserv_id: str = ""
    """Whose `Authentication-Results` are believed; empty means nobody's."""
    arc_sealers: tuple[str, ...] = ()
    """Domains of forwarders whose ARC seals are believed, such as `fwd.example`."""
    refuse_short_keys: bool = False
    """Whether a signature proves nothing whose RSA key has fewer than 2,048 bits."""
    handled_folder: str = ""
    """The folder that mails are moved to once they are dealt with; empty leaves them where they are."""
    largest_mail_mb: int = Field(default=30, ge=1, le=200)
    """A larger mail is kept aside and told."""
    answers: tuple[StandingAnswer, ...] = ()
    """What is answered at once, and to whom; nobody else but you gets an automatic answer."""
    auth: Literal["password", "xoauth2"] = "password"
    """With `xoauth2`, `password_env` names the variable that holds the access token."""
    enabled: bool = True
    """Whether it is in use."""


class GmailSettings(_Settings):
    """An account of the person's at Gmail, through its API."""

    provider: Literal["gmail_oauth"] = "gmail_oauth"
    """`gmail_oauth` for Gmail through its API, `smtp_imap` for any mailbox over IMAP and SMTP."""
    credentials_env: str = "USER_EMAIL_OAUTH_JSON"
    """The variable that holds google-auth's authorized_user JSON; `butler login gmail` seals it under this name."""
    client: str = ""
    """The file of your OAuth client (`client_secret_....json`) as Google gave it; `butler login gmail` needs it."""
    api_root: Annotated[str, Field(pattern=r"^https?://[^/?#]+/$")] = "https://gmail.googleapis.com/"
    """The Gmail API's address, with a slash at its end."""
    poll_interval: Seconds = Field(default=60.0, ge=1.0, le=3600.0)
    """Seconds between two looks for what is new."""
    push_topic: Annotated[str, Field(pattern=r"^(projects/[^/\s]+/topics/[^/\s]+)?$")] = ""
    """The Pub/Sub topic, as `projects/NAME/topics/NAME`, by which Google tells at once what is new; empty for none."""
    push_service_account: str = ""
    """For `push_topic`: the address of the service account by which Pub/Sub proves who it is."""
    push_audience: str = ""
    """For `push_topic`: whom its tokens are for, as the subscription says; empty means the webhook's address."""
    push_certs: str = "https://www.googleapis.com/oauth2/v1/certs"
    """Where Google's certificates are."""
    pushed_poll_interval: Seconds = Field(default=600.0, ge=1.0, le=3600.0)
    """Seconds between two looks while Google tells what is new."""
    sync_days: int = Field(default=90, ge=0)
    """How many days of mail are kept at hand; 0 for all of it."""
    units_per_minute: int = Field(default=6000, ge=100)
    """What it may use of Gmail's quota; Gmail allows 6,000 units a minute for each user."""
    enabled: bool = True
    """Whether it is in use."""

    @model_validator(mode="after")
    def _pushes_are_proved(self) -> Self:
        if self.push_topic and not self.push_service_account:
            raise ValueError("push_topic needs push_service_account, by which Pub/Sub proves who it is")
        return self


class UserServerSettings(MailServerSettings):
    """A mailbox of the person's over IMAP and SMTP."""

    provider: Literal["smtp_imap"]
    """`smtp_imap` for any mailbox over IMAP and SMTP, `gmail_oauth` for Gmail through its API."""
    address_env: str = "USER_EMAIL_ADDRESS"
    """The variable that holds the account's mail address."""
    password_env: str = "USER_EMAIL_PASSWORD"  # noqa: S105 - the name of a variable
    """The variable that holds the password; with `xoauth2`, what `butler login` seals under this name."""
    auth: Literal["password", "xoauth2"] = "password"
    """`xoauth2` for Outlook and others that want OAuth."""
    authorize_url: str = "https://login.microsoftonline.com/common/oauth2/v2.0/authorize"
    """For `xoauth2`: where you give your consent."""
    token_url: str = "https://login.microsoftonline.com/common/oauth2/v2.0/token"  # noqa: S105 - an address
    """For `xoauth2`: where access tokens are made."""
    client_id: str = ""
    """For `xoauth2`: the id of your application at the provider."""
    scopes: tuple[str, ...] = (
        "https://outlook.office.com/IMAP.AccessAsUser.All",
        "https://outlook.office.com/SMTP.Send",
        "offline_access",
    )
    """For `xoauth2`: what is asked for."""
    sent_folder: str = ""
    """Where sent mail is kept; empty means the folder that the server marks as that."""
    drafts_folder: str = ""
    """Where drafts are kept; empty means the folder that the server marks as that."""
    sync_days: int = Field(default=90, ge=0)
    """How many days of mail are kept at hand; 0 for all of it."""
    keep: Literal["text", "whole"] = "text"
    """What is kept of each mail: its text, or also the whole mail as it came."""
    enabled: bool = True
    """Whether it is in use."""

    @model_validator(mode="after")
    def _complete(self) -> Self:
        if self.auth == "xoauth2" and not self.client_id:
            raise ValueError("xoauth2 needs the client_id of your application at the provider")
        return self


UserMailboxSettings = GmailSettings | UserServerSettings
_VARIABLES = {"gmail_oauth": ("credentials_env",), "smtp_imap": ("address_env", "password_env")}
_MODELS: dict[str, type[BaseModel]] = {"gmail_oauth": GmailSettings, "smtp_imap": UserServerSettings}


class _FirstAccount(_Settings):
    account: AccountName = "main"
    """This account's name, by which you tell it from others."""
    accounts: dict[AccountName, Annotated[UserMailboxSettings, Field(discriminator="provider")]] = {}
    """Further accounts by name, each with the same settings as this one."""


class FirstGmailSettings(_FirstAccount, GmailSettings):
    """The person's first account, at Gmail."""


class FirstUserServerSettings(_FirstAccount, UserServerSettings):
    """The person's first account, over IMAP and SMTP."""


class EmailSettings(ClosedRecord):
    """`[modules.email.bot]` and `[modules.email.user]`; either may be left out."""

    bot: BotMailboxSettings | None = None
    user: FirstGmailSettings | FirstUserServerSettings | None = Field(default=None, discriminator="provider")

    @field_validator("user", mode="before")
    @classmethod
    def _fill_in(cls, section: Any) -> Any:
        if not isinstance(section, Mapping):
            return section
        filled = _with_provider(cast("Mapping[str, Any]", section))
        accounts = filled.get("accounts")
        if isinstance(accounts, Mapping):
            further = cast("Mapping[str, Any]", accounts)
            filled["accounts"] = {name: _further(name, account) for name, account in further.items()}
        return filled

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        if self.user is not None:
            check_names(self.user.account, self.user.accounts)
        return self

    def user_accounts(self) -> dict[str, UserMailboxSettings]:
        """Return the owner's enabled accounts by name, the default one first."""
        if self.user is None:
            return {}
        return in_use(self.user.account, self.user, self.user.accounts)


def _with_provider(section: Mapping[str, Any]) -> dict[str, Any]:
    return {"provider": "gmail_oauth", **section}


def _further(name: str, section: Any) -> Any:
    """Return a further account's model, whose variables are the first one's with its name appended."""
    if not isinstance(section, Mapping):
        return section
    filled = _with_provider(cast("Mapping[str, Any]", section))
    for key in _VARIABLES.get(str(filled["provider"]), ()):
        filled.setdefault(key, variable_of(_MODELS[filled["provider"]].model_fields[key].default, name))
    return filled
