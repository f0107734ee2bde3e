"""Credentials of web servers: one header, and the one origin that ever gets it.

In the vault each is a JSON text such as `{"origin": "https://wiki.home.example", "header": "Authorization", "value":
"Bearer ..."}` under its `credentials_id`. Whatever else a variable holds, such as another account's token, is none of
these and goes nowhere.
"""

import re
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict, Field, SecretStr, ValidationError

from butler.agents.connector.failures import NotFetchedError, locked
from butler.agents.connector.web_address import Reach, Target, target_of
from butler.contract.errors import SealedError
from butler.contract.ports import Vault
from butler.contract.speech import say

_ID = re.compile(r"[A-Z][A-Z0-9_]{0,99}")
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
"""Headers that say something else than who asks."""


class _Stored(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    origin: str
    header: str = Field(default="Authorization", pattern=r"^[A-Za-z][A-Za-z0-9-]{0,60}$")
    value: SecretStr


@dataclass(frozen=True, slots=True)
class Credential:
    """A header for one origin."""

    origin: str
    header: str
    value: str = field(repr=False)

    def headers_for(self, target: Target) -> dict[str, str]:
        """The header, where this target is of the origin; nothing anywhere else."""
        return {self.header: self.value} if target.origin == self.origin else {}


def credential_for(credentials_id: str, target: Target, vault: Vault, reach: Reach) -> Credential:
    """The credential that is to be sent to a target. Raises `NotFetchedError` where it is not for that."""
    credential = _read(credentials_id, vault, reach)
    if credential.origin != target.origin:
        raise locked(
            say(
                "the credentials {name} are not for {host}, so they were not sent there",
                name=credentials_id,
                host=target.shown,
            )
        )
    return credential


def _read(credentials_id: str, vault: Vault, reach: Reach) -> Credential:
    if not _ID.fullmatch(credentials_id):
        raise _useless(credentials_id)
    try:
        stored = _Stored.model_validate_json(vault.get(credentials_id))
        origin = target_of(stored.origin, reach)
    except SealedError as error:
        raise locked(error.detail) from None
    except (ValidationError, NotFetchedError):
        raise _useless(credentials_id) from None
    value = stored.value.get_secret_value()
    plain = value.isascii() and value.isprintable() and value
    if not plain or stored.header.lower() in _TAKEN or not (origin.url.scheme == "https" or origin.is_private):
        raise _useless(credentials_id)
    return Credential(origin.origin, stored.header, value)


def _useless(credentials_id: str) -> NotFetchedError:
    return locked(
        say(
            "there are no credentials {name!r} for a page; they are a JSON text with an https origin, a "
            "header and its value",
            name=credentials_id[:100],
        )
    )
