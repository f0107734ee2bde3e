"""Access tokens from a stored consent: cached, renewed before they expire, one renewal at a time.

A consent is what `butler login gmail` and `butler login mail` seal: google-auth's authorized_user JSON, plus the time
it was given. The same form serves Outlook, whose client has no secret.
"""

import asyncio
import json
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Any, cast

import aiohttp
import structlog
from pydantic import AwareDatetime, BaseModel, ConfigDict, Field, ValidationError

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault, SealedError
from butler.contract.ports import Clock, Vault
from butler.contract.speech import phrase, say, say_many

log = structlog.get_logger(__name__)

GOOGLE_PAGE = "https://accounts.google.com/o/oauth2/v2/auth"
GOOGLE_TOKENS = "https://oauth2.googleapis.com/token"
TESTING_LIFETIME = timedelta(days=7)
"""After this, Google ends a consent given to a project in testing mode."""
_LONGEST_LIFE_S = 7 * 24 * 3600.0
_RENEW_BEFORE = timedelta(minutes=2)
_REQUEST_S = 20.0
_TESTING = phrase(
    "Google ends the consent of a project in testing mode after seven days: publish the project to keep it"
)
_OVER = frozenset({"invalid_grant", "interaction_required", "consent_required", "login_required"})
_UNKNOWN_CLIENT = frozenset({"invalid_client", "unauthorized_client"})


class Consent(BaseModel):
    """An account owner's consent, as it is stored. Keys that are Google's own are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    type: str = "authorized_user"
    client_id: str = Field(min_length=1)
    client_secret: str = Field(default="", repr=False)
    """Empty for a public client."""
    refresh_token: str = Field(min_length=1, repr=False)
    auth_uri: str = GOOGLE_PAGE
    """The page where consent was given, reused for the next sign-in."""
    token_uri: str = GOOGLE_TOKENS
    scopes: tuple[str, ...] = ()
    account: str = ""
    """The mail address of the account."""
    consented_at: AwareDatetime | None = None
    ends_at: AwareDatetime | None = None
    """If the authority stated it: for a project in testing mode."""

    def text(self) -> str:
        """Return the consent as one line of JSON, for the vault."""
        return self.model_dump_json(exclude_none=True)


def read_consent(text: str) -> Consent | None:
    """Parse a stored credential; return None if it is no consent."""
    try:
        return Consent.model_validate_json(text)
    except ValidationError:
        return None


def why_over(consent: Consent | None, now: datetime, command: str, authority: str = "Google") -> str:
    """Return a sentence on a consent that is no longer accepted (`invalid_grant`), and what to do about it."""
    given = consent.consented_at if consent else None
    if consent is None or given is None:
        return say(
            "{authority} no longer accepts the sign-in; run `{command}`", authority=say(authority), command=command
        )
    days = (now - given).days
    text = say_many(
        days,
        "{authority} no longer accepts the sign-in of 1 day ago; run `{command}`",
        "{authority} no longer accepts the sign-in of {count} days ago; run `{command}`",
        authority=say(authority),
        command=command,
    )
    testing = consent.ends_at is not None or (authority == "Google" and days == TESTING_LIFETIME.days)
    return f"{text}. {say(_TESTING)}" if testing else text


@dataclass(frozen=True, slots=True)
class _Access:
    """An access token, the stored text that it was made from, and when to renew it."""

    token: str
    kept: str
    renew_at: float
    """By the monotonic clock."""
    scopes: tuple[str, ...]


class AccessTokens:
    """Access tokens of one account.

    `name` is the vault's variable of the consent; `command` signs in again. A refresh token that the authority replaces
    is sealed before the new access token is used.
    """

    def __init__(
        self,
        vault: Vault,
        name: str,
        clock: Clock,
        *,
        command: str = "butler login mail",
        authority: str = phrase("the provider"),
    ) -> None:
        self._vault, self._name, self._clock = vault, name, clock
        self._command, self._authority = command, authority
        self._access: _Access | None = None
        self._newer: tuple[str, Consent] | None = None
        self._renewing = asyncio.Lock()

    async def get(self) -> str:
        """Return an access token that stays valid for a while.

        Raise `IntegrationFault`: AUTH_REQUIRED if only the owner can help, UNAVAILABLE if a later attempt may work.
        """
        async with self._renewing:
            kept = self._vault.get(self._name)
            if self._access is None or self._access.kept != kept or self._clock.monotonic() >= self._access.renew_at:
                self._access = await self._renewed(kept)
            return self._access.token

    @property
    def scopes(self) -> tuple[str, ...]:
        """Return the scopes granted with the last token."""
        return self._access.scopes if self._access else ()

    def forget(self) -> None:
        """Forget a refused token: the next one is requested anew."""
        self._access = None

    async def _renewed(self, kept: str) -> _Access:
        consent = self._consent(kept)
        try:
            answer = await self._ask(consent)
        except IntegrationFault as fault:
            fresh = self._vault.get(self._name)
            if fault.code is not IntegrationErrorCode.AUTH_REQUIRED or fresh == kept:
                raise
            # Another of our processes has renewed it meanwhile, and sealed the result.
            kept, consent = fresh, self._consent(fresh)
            answer = await self._ask(consent)
        if (rotated := answer.get("refresh_token")) and rotated != consent.refresh_token:
            kept = self._keep(kept, consent.model_copy(update={"refresh_token": str(rotated)}))
        lives = _lifetime(answer.get("expires_in"))
        renew_at = self._clock.monotonic() + max(lives - _RENEW_BEFORE, lives / 2).total_seconds()
        return _Access(str(answer["access_token"]), kept, renew_at, tuple(str(answer.get("scope", "")).split()))

    def _consent(self, kept: str) -> Consent:
        if self._newer is not None and self._newer[0] == kept:
            return self._newer[1]
        if not kept:
            raise _auth_required(
                say("{variable} is not set; run `{command}`", variable=self._name, command=self._command)
            )
        consent = read_consent(kept)
        if consent is None:
            raise _auth_required(
                say("{variable} holds no consent; run `{command}`", variable=self._name, command=self._command)
            )
        return consent

    def _keep(self, kept: str, consent: Consent) -> str:
        """Seal the replaced consent; if the environment overrides it, or sealing fails, it serves this process only."""
        self._newer = (kept, consent)
        try:
            self._vault.put(self._name, consent.text())
        except SealedError as error:
            log.warning("consent_not_sealed", name=self._name, why=error.detail)
            return kept
        stands = self._vault.get(self._name)
        if stands != kept:
            self._newer = None
        return stands

    async def _ask(self, consent: Consent) -> dict[str, Any]:
        """Return the token endpoint's answer; raise `IntegrationFault`."""
        form = {
            "grant_type": "refresh_token",
            "refresh_token": consent.refresh_token,
            "client_id": consent.client_id,
        } | ({"client_secret": consent.client_secret} if consent.client_secret else {})
        try:
            timeout = aiohttp.ClientTimeout(total=_REQUEST_S)
            async with (
                aiohttp.ClientSession(timeout=timeout) as session,
                session.post(consent.token_uri, data=form, allow_redirects=False) as answer,
            ):
                status, body = answer.status, _json(await answer.read())
        except (aiohttp.ClientError, TimeoutError):
            status, body = 0, {}
        if status == HTTPStatus.OK and body.get("access_token"):
            return body
        raise self._fault(status, str(body.get("error", "")), consent)

    def _fault(self, status: int, error: str, consent: Consent) -> IntegrationFault:
        if error in _OVER:
            return _auth_required(why_over(consent, self._clock.now(), self._command, self._authority), error)
        if error in _UNKNOWN_CLIENT:
            return _auth_required(
                say(
                    "{authority} does not know the client, or its secret; run `{command}`",
                    authority=say(self._authority),
                    command=self._command,
                ),
                error,
            )
        if status in {0, HTTPStatus.OK, HTTPStatus.TOO_MANY_REQUESTS} or status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            return IntegrationFault(
                IntegrationErrorCode.UNAVAILABLE,
                say("{authority} cannot renew the sign-in now", authority=say(self._authority)),
                effect=Effect.NONE,
                provider_code=error,
                http_status=status or None,
            )
        return IntegrationFault(
            IntegrationErrorCode.REJECTED,
            say(
                "{authority} refused to renew the sign-in ({status} {error})",
                authority=say(self._authority),
                status=status,
                error=error,
            ).replace(" )", ")"),
            effect=Effect.NONE,
            provider_code=error,
            http_status=status,
        )


def _auth_required(message: str, error: str = "") -> IntegrationFault:
    return IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, message, effect=Effect.NONE, provider_code=error)


def _json(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except ValueError:
        return {}
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _lifetime(said: Any) -> timedelta:
    """Return a token's lifetime as its issuer states it; an hour if that is missing or unusable."""
    try:
        seconds = float(said)
    except (TypeError, ValueError):
        seconds = 0.0
    return timedelta(seconds=seconds) if 0 < seconds <= _LONGEST_LIFE_S else timedelta(hours=1)
