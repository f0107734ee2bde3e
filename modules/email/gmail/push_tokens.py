# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false
# (Google's sign-in library has no type annotations.)
"""Checks the tokens of Google's Pub/Sub pushes: signed by Google, for us, and not too old.

Only RS256 with one of Google's keys is accepted: a token that names another algorithm is refused before anything else
is read, so that none can be signed with a public key as a shared secret, or be unsigned.
"""

import binascii
import json
from base64 import urlsafe_b64decode
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

from butler.contract.errors import Retryable
from butler.contract.hooks import HookRefusedError
from butler.contract.integration import READS
from butler.contract.ports import Clock
from modules.email.integration_google_certs import CERTS, Certs, GoogleCerts

ISSUERS = frozenset({"https://accounts.google.com", "accounts.google.com"})
LEEWAY = timedelta(seconds=60)
LONGEST_LIFE = timedelta(hours=24)
_LOOK_AGAIN = timedelta(minutes=1)
_LONGEST_TOKEN = 8_192
_PARTS = 3


@dataclass(frozen=True, slots=True)
class Claims:
    """The audience of a token, and the account that requested it."""

    audience: str
    email: str


class PushTokens:
    """Checks tokens; caches Google's certificates while they are valid, and fetches them again for an unknown key."""

    def __init__(self, certs: GoogleCerts, clock: Clock) -> None:
        self._source, self._clock = certs, clock
        self._certs: Mapping[str, str] = {}
        self._good_until: datetime | None = None
        self._looked_at: datetime | None = None

    async def claims(self, token: str) -> Claims:
        """Return a token's claims. Raise `HookRefusedError` if it is not Google's, `Retryable` if keys are missing."""
        parts = token.split(".")
        if len(token) > _LONGEST_TOKEN or len(parts) != _PARTS or not token.isascii():
            raise _refused("there is no token of Google's")
        head, body = _record(parts[0]), _record(parts[1])
        if head.get("alg") != "RS256" or not isinstance(head.get("kid"), str):
            raise _refused("the token is signed in another way than Google's")
        await self._verify(head["kid"], f"{parts[0]}.{parts[1]}".encode(), _bytes(parts[2]))
        self._in_time(body)
        if body.get("iss") not in ISSUERS:
            raise _refused("the token is another's than Google's")
        if body.get("email_verified") is not True:
            raise _refused("the token's sender is not verified")
        return Claims(str(body.get("aud", "")), str(body.get("email", "")).lower())

    async def _verify(self, kid: str, signed: bytes, signature: bytes) -> None:
        from google.auth.crypt import RSAVerifier  # noqa: PLC0415 - only where something is pushed

        pem = (await self._known(kid)).get(kid)
        if pem is None:
            raise _refused("the token is signed with no key of Google's")
        try:
            genuine = bool(RSAVerifier.from_string(pem).verify(signed, signature))
        except ValueError:
            genuine = False
        if not genuine:
            raise _refused("the token's signature is wrong")

    async def _known(self, kid: str) -> Mapping[str, str]:
        now = self._clock.now()
        good = self._good_until is not None and now < self._good_until
        # An unknown key may be new; the pause keeps made-up keys from causing endless requests.
        asked = self._looked_at is not None and now - self._looked_at < _LOOK_AGAIN
        if not good or (kid not in self._certs and not asked):
            self._looked_at = now
            result = await self._source.request("email.push", CERTS, retry_policy=READS)
            if result.error is not None:
                raise Retryable(result.error.message)
            found = Certs.model_validate(result.data)
            self._certs, self._good_until = found.certs, now + timedelta(seconds=found.good_for_s)
        return self._certs

    def _in_time(self, body: Mapping[str, Any]) -> None:
        now = self._clock.now().timestamp()
        made, ends = _moment(body.get("iat")), _moment(body.get("exp"))
        if ends - made > LONGEST_LIFE.total_seconds():
            raise _refused("the token is good for too long")
        if ends + LEEWAY.total_seconds() < now or made - LEEWAY.total_seconds() > now:
            raise _refused("the token is of another time")


def _moment(said: Any) -> int:
    if not isinstance(said, int) or isinstance(said, bool):
        raise _refused("the token says no time")
    return said


def _record(part: str) -> dict[str, Any]:
    try:
        held: Any = json.loads(_bytes(part))
    except (ValueError, RecursionError):
        held = None
    if not isinstance(held, dict):
        raise _refused("there is no token of Google's")
    return cast("dict[str, Any]", held)


def _bytes(part: str) -> bytes:
    try:
        return urlsafe_b64decode(part + "=" * (-len(part) % 4))
    except (ValueError, binascii.Error):
        raise _refused("there is no token of Google's") from None


def _refused(why: str) -> HookRefusedError:
    return HookRefusedError(401, why)
