# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false
# pyright: reportUnknownArgumentType=false, reportAttributeAccessIssue=false
# (Google's sign-in library and oauthlib carry no types.)
"""Obtains a consent once, with PKCE and its own state, in a form that can be stored.

The owner consents on the authority's page in a browser; the address to which it redirects holds a code, which is
exchanged here. Google and Outlook differ in addresses, scopes and client only.
"""

import asyncio
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qs, urlsplit

from pydantic import Field

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import ConfigError, Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, method
from butler.contract.ports import Clock
from butler.contract.records import ClosedRecord
from modules._accounts.oauth import Consent

BEGIN = "oauth.login.begin.v1"
EXCHANGE = "oauth.login.exchange.v1"
REVOKE = "oauth.login.revoke.v1"
REQUEST_S = 20.0
OF_TOKENS = frozenset({"offline_access", "openid", "email", "profile"})
"""Scopes about the token itself: they are not echoed, and no method needs them."""


@dataclass(frozen=True, slots=True)
class OAuthClient:
    """An application registered with its authority; a public client has no secret."""

    client_id: str
    authorize_url: str
    token_url: str
    client_secret: str = field(default="", repr=False)

    revoke_url: str = ""
    """Where a consent can be revoked; Microsoft has no such endpoint."""

    @classmethod
    def google(cls, client_id: str, client_secret: str, authorize_url: str, token_url: str) -> "OAuthClient":
        """A Google client; the revocation endpoint is derived from the token endpoint."""
        revoke_url = f"{token_url.removesuffix('/token')}/revoke"
        return cls(client_id, authorize_url, token_url, client_secret, revoke_url)

    @classmethod
    def of(cls, consent: Consent) -> "OAuthClient":
        """Return the Google client to which a consent was given."""
        return cls.google(consent.client_id, consent.client_secret, consent.auth_uri, consent.token_uri)


def read_client(path: Path) -> OAuthClient:
    """Read the file that Google's console offers for a client of the kind "Desktop app"; raise `ConfigError`."""
    try:
        held: Any = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no {path}") from None
    except (OSError, ValueError):
        raise ConfigError(f"{path} cannot be read as JSON; download it anew from Google's console") from None
    held = cast("dict[str, Any]", held) if isinstance(held, dict) else {}
    if "web" in held:
        raise ConfigError(f"{path} is a client of the kind “Web application”; make one of the kind “Desktop app”")
    installed: Any = held.get("installed")
    try:
        return OAuthClient.google(
            str(installed["client_id"]),
            str(installed.get("client_secret", "")),
            str(installed["auth_uri"]),
            str(installed["token_uri"]),
        )
    except (KeyError, TypeError):
        raise ConfigError(f"{path} is no OAuth client of the kind “Desktop app”") from None


class Begin(ClosedRecord):
    """The redirect address, and the account to propose."""

    redirect_uri: str
    hint: str = ""


class Page(ClosedRecord):
    """The consent page's address."""

    address: str


class Answer(ClosedRecord):
    """The address to which the browser was redirected, or only the code in it."""

    answer: str = Field(min_length=1, repr=False)


class Granted(ClosedRecord):
    """The consent: the scopes that were allowed, and the requested ones that were not."""

    scopes: list[str]
    missing: list[str]


class Nothing(ClosedRecord):
    """No arguments, or an answer without content."""


class OAuthLogin(BaseIntegration):
    """One sign-in: BEGIN, EXCHANGE, then `consent`. INVALID_INPUT means that the answer can be entered again."""

    provider = "oauth"

    def __init__(self, client: OAuthClient, scopes: tuple[str, ...], clock: Clock) -> None:
        self._client, self._scopes, self._clock = client, scopes, clock
        self._flow: Any = None
        self._state = ""
        self._token: Mapping[str, Any] = {}
        self._consented_at: datetime | None = None
        super().__init__()

    def methods(self) -> list[Method]:
        none = Idempotency.NONE
        return [
            method(BEGIN, args=Begin, answer=Page, run=self._raw_begin, idempotency=Idempotency.READ),
            method(EXCHANGE, args=Answer, answer=Granted, run=self._raw_exchange, idempotency=none),
            method(REVOKE, args=Nothing, answer=Nothing, run=self._raw_revoke, idempotency=none),
        ]

    async def auth_status(self) -> dict[str, Any]:
        return {"ok": False, "account": "", "detail": "not signed in yet", "todo": "Run `butler login`."}

    def consent(self, account: str) -> Consent:
        """Return the consent to store after EXCHANGE, for the mail address `account`."""
        ends_in = self._token.get("refresh_token_expires_in")
        at = self._consented_at
        return Consent(
            client_id=self._client.client_id,
            client_secret=self._client.client_secret,
            refresh_token=str(self._token["refresh_token"]),
            auth_uri=self._client.authorize_url,
            token_uri=self._client.token_url,
            scopes=tuple(self._granted()),
            account=account,
            consented_at=at,
            ends_at=at + timedelta(seconds=float(ends_in)) if ends_in and at else None,
        )

    async def _raw_begin(self, _call: IntegrationCall, args: Begin) -> RawAnswer:
        """Return the page's address, which holds all parameters; makes no request."""
        from google_auth_oauthlib.flow import Flow  # noqa: PLC0415 - heavy, and only for a sign-in
        from oauthlib.oauth2 import OAuth2Error  # noqa: PLC0415 - heavy

        client = {
            "client_id": self._client.client_id,
            "client_secret": self._client.client_secret or None,
            "auth_uri": self._client.authorize_url,
            "token_uri": self._client.token_url,
        }
        self._flow = Flow.from_client_config({"installed": client}, self._scopes, redirect_uri=args.redirect_uri)
        more = {"login_hint": args.hint} if args.hint else {}
        # A refresh token comes only with offline access, and again only if the consent page is shown again.
        try:
            address, self._state = self._flow.authorization_url(access_type="offline", prompt="consent", **more)
        except OAuth2Error as error:
            raise _refusal(str(error.error or "")) from None
        return RawAnswer({"address": address})

    async def _raw_exchange(self, _call: IntegrationCall, args: Answer) -> RawAnswer:
        code = self._code(args.answer.strip())
        self._token = await asyncio.to_thread(self._fetch, code)
        self._consented_at = self._clock.now()
        if not self._token.get("refresh_token"):
            raise _fault(
                IntegrationErrorCode.REJECTED, "no lasting sign-in was given (a refresh token is missing); try again"
            )
        granted = self._granted()
        wanted = [scope for scope in self._scopes if scope not in OF_TOKENS]
        return RawAnswer({"scopes": granted, "missing": [scope for scope in wanted if scope not in granted]})

    async def _raw_revoke(self, _call: IntegrationCall, _args: Nothing) -> RawAnswer:
        """Revoke the consent, if the authority has an endpoint for that."""
        if self._client.revoke_url:
            await asyncio.to_thread(self._post_revocation)
        return RawAnswer({})

    def _code(self, answer: str) -> str:
        """Return the code in the address to which the browser was redirected; raise `IntegrationFault`."""
        if "://" not in answer:
            if "=" in answer or " " in answer:
                raise _fault(IntegrationErrorCode.INVALID_INPUT, "this is neither an address nor a code")
            return answer
        values = {key: found[0] for key, found in parse_qs(urlsplit(answer).query).items()}
        if values.get("state") != self._state:
            raise _fault(
                IntegrationErrorCode.INVALID_INPUT,
                "this address belongs to another sign-in: copy it after you have allowed the page that was just shown",
            )
        if error := values.get("error"):
            text = "you did not allow it" if error == "access_denied" else f"the sign-in was refused ({_plain(error)})"
            raise _fault(IntegrationErrorCode.REJECTED, text)
        if not values.get("code"):
            raise _fault(IntegrationErrorCode.INVALID_INPUT, "this address holds no code")
        return values["code"]

    def _fetch(self, code: str) -> Mapping[str, Any]:
        """Exchange the code. If fewer scopes were granted, oauthlib raises a bare Warning that carries the token."""
        from oauthlib.oauth2 import OAuth2Error  # noqa: PLC0415 - heavy
        from requests import RequestException  # noqa: PLC0415 - heavy

        try:
            return self._flow.fetch_token(code=code, timeout=REQUEST_S, include_client_id=True)
        except Warning as changed:
            return cast("Any", changed).token
        except OAuth2Error as error:
            fault = _refusal(str(error.error or ""))
        except (RequestException, ValueError):
            fault = _fault(IntegrationErrorCode.UNAVAILABLE, "the sign-in cannot be completed now: no answer")
        # Raised here and not above, so that it does not chain the other exception, whose request holds the code.
        raise fault

    def _post_revocation(self) -> None:
        import requests  # noqa: PLC0415 - heavy

        token = str(self._token.get("refresh_token") or self._token.get("access_token", ""))
        failed = False
        try:
            failed = not requests.post(self._client.revoke_url, data={"token": token}, timeout=REQUEST_S).ok
        except requests.RequestException:
            failed = True
        if failed:
            raise _fault(IntegrationErrorCode.UNAVAILABLE, "it could not be given back now")

    def _granted(self) -> list[str]:
        scopes = self._token.get("scope", ())
        return scopes.split() if isinstance(scopes, str) else [str(scope) for scope in scopes]


def _refusal(error: str) -> IntegrationFault:
    if error in {"invalid_client", "unauthorized_client"}:
        return _fault(
            IntegrationErrorCode.REJECTED, "the authority does not know this client, or its secret: download it anew"
        )
    if error == "invalid_grant":
        return _fault(IntegrationErrorCode.CONFLICT, "the code was used already, or is too old")
    if error == "insecure_transport":
        return _fault(IntegrationErrorCode.REJECTED, "the authority's addresses have to begin with https://")
    return _fault(IntegrationErrorCode.REJECTED, f"the sign-in was refused ({_plain(error)})")


def _plain(error: str) -> str:
    return error if error.replace("_", "").isalnum() else "no reason that can be shown"


def _fault(code: IntegrationErrorCode, message: str) -> IntegrationFault:
    return IntegrationFault(code, message, effect=Effect.NONE)
