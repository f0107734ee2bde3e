"""Credentials of web servers: one header, and the only origin that ever receives it.

`[connector.credentials.NAME]` names the origin and the vault variable that holds the secret.
"""

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field

from butler.agents.connector.failures import NotFetchedError, locked
from butler.agents.connector.web_address import Reach, Target, target_of
from butler.contract.errors import SealedError
from butler.contract.ports import Vault
from butler.contract.speech import phrase, say
from config.agents import CredentialKind, PageCredentials

_NOT_SET_UP = phrase("there is no [connector.credentials.{name}] in butler.toml")
_NO_ORIGIN = phrase(
    "[connector.credentials.{name}] origin is no address of a server that credentials may go to: it begins with https, "
    "or is one of private_hosts"
)
_NO_SECRET = phrase("the variable {variable} of [connector.credentials.{name}] is empty, or holds what is no secret")
_NO_HEADER = phrase("[connector.credentials.{name}] header names no header that says who asks")
_ELSEWHERE = phrase("the credentials {name} are not for {host}, so they were not sent there")

_TAKEN = frozenset(
    {
        "accept-encoding",
        "connection",
        "content-length",
        "cookie",
        "expect",
        "host",
        "range",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)
"""Headers that have another meaning than authentication."""


@dataclass(frozen=True, slots=True)
class Credential:
    """A header for one origin."""

    name: str
    origin: str
    header: str
    value: str = field(repr=False)

    def headers_for(self, target: Target) -> dict[str, str]:
        """Return the header if the target belongs to the origin, else nothing."""
        return {self.header: self.value} if target.origin == self.origin else {}


class Credentials:
    """The configured credentials. Secrets are looked up when needed and never kept."""

    def __init__(self, settings: Mapping[str, PageCredentials], vault: Vault, reach: Reach) -> None:
        self._settings, self._vault, self._reach = settings, vault, reach

    def named(self, name: str, target: Target) -> Credential:
        """Return the credentials of this name for a target. Raise `NotFetchedError` if they are not meant for it."""
        settings = self._settings.get(name)
        if settings is None:
            raise locked(say(_NOT_SET_UP, name=name[:100]))
        if self._origin(name, settings) != target.origin:
            raise locked(say(_ELSEWHERE, name=name, host=target.shown))
        return self._credential(name, settings, target.origin)

    def of(self, target: Target) -> Credential | None:
        """Return the credentials configured for a target's origin, if any. Raise `NotFetchedError`."""
        for name, settings in self._settings.items():
            try:
                is_its = self._origin(name, settings) == target.origin
            except NotFetchedError:
                continue  # errors in another server's credentials are reported when that server is asked
            if is_its:
                return self._credential(name, settings, target.origin)
        return None

    def _origin(self, name: str, settings: PageCredentials) -> str:
        try:
            origin = target_of(settings.origin, self._reach)
        except NotFetchedError:
            raise locked(say(_NO_ORIGIN, name=name)) from None
        if not (origin.url.scheme == "https" or origin.is_private):
            raise locked(say(_NO_ORIGIN, name=name))
        return origin.origin

    def _credential(self, name: str, settings: PageCredentials, origin: str) -> Credential:
        try:
            secret = self._vault.get(settings.secret_env)
        except SealedError as error:
            raise locked(error.detail) from None
        if not (secret and secret.isascii() and secret.isprintable()):
            raise locked(say(_NO_SECRET, name=name, variable=settings.secret_env))
        match settings.kind:
            case CredentialKind.BEARER:
                header, value = "Authorization", f"Bearer {secret}"
            case CredentialKind.BASIC:
                header, value = "Authorization", f"Basic {base64.b64encode(secret.encode()).decode()}"
            case CredentialKind.HEADER:
                header, value = settings.header, secret
        if not header or header.lower() in _TAKEN:
            raise locked(say(_NO_HEADER, name=name))
        return Credential(name, origin, header, value)
