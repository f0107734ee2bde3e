"""Google's OAuth 2.0 authority: consents, codes, refreshing, expiry and revoking, as strict as the real one.

The same rules serve a public client without a secret, as Outlook's sign-in has it.
"""

import hmac
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from butler_demo.gmail.oauth_request import AuthorizationRequest, proves

ACCESS_TOKEN_LIFETIME = timedelta(seconds=3599)
CODE_LIFETIME = timedelta(minutes=10)
TESTING_LIFETIME = timedelta(days=7)
"""How long a consent lasts that was given to a project in testing mode."""
CLIENT_ID = "demo.apps.googleusercontent.com"
CLIENT_SECRET = "GOCSPX-demo"  # noqa: S105 - the stand-in's own client, valid nowhere else
PUBLIC_CLIENT_ID = "9e5f94bc-demo-public-client"
"""A client without a secret; one that sends a secret for it is refused."""
OPERATION_ID = "oauth2.token"


class OAuthError(Exception):
    """The token endpoint refuses; `error` is the code of RFC 6749, `status` the HTTP status."""

    def __init__(self, status: int, error: str, description: str) -> None:
        super().__init__(description)
        self.status = status
        self.error = error
        self.description = description


@dataclass(frozen=True)
class Grant:
    """What a user allowed a client, and until when; None means until it is revoked."""

    address: str
    scopes: frozenset[str]
    client_id: str
    ends: datetime | None


@dataclass(frozen=True)
class AccessToken:
    """A token of limited life under a grant; its scopes may be fewer."""

    address: str
    scopes: frozenset[str]
    expires: datetime
    grant: Grant | None = None


@dataclass(frozen=True)
class Code:
    """What a consent page hands to the client, to be exchanged once and soon."""

    request: AuthorizationRequest
    grant: Grant
    ends: datetime
    renews: bool
    """Whether a refresh token comes with it."""


class Authority:
    """Issues and checks tokens for all accounts of the server.

    `testing` makes consents of a project in testing mode, which end after seven days. `rotates` replaces the refresh
    token at each refresh; the one before is void then.
    """

    def __init__(self) -> None:
        self.testing = False
        self.rotates = False
        self._clients: dict[str, str | None] = {CLIENT_ID: CLIENT_SECRET, PUBLIC_CLIENT_ID: None}
        self._grants: dict[str, Grant] = {}
        self._access: dict[str, AccessToken] = {}
        self._codes: dict[str, Code] = {}
        self._used: dict[str, Grant] = {}

    def knows(self, client_id: str) -> bool:
        """Whether there is such a client."""
        return client_id in self._clients

    def grant(self, address: str, scopes: Collection[str], now: datetime, client_id: str = CLIENT_ID) -> str:
        """Record a user's consent and return its refresh token."""
        return self._refresh_token(self._new_grant(address, scopes, client_id, now))

    def consent(self, address: str, request: AuthorizationRequest, scopes: Collection[str], now: datetime) -> str:
        """Record what a user allowed on the consent page; the code for the client.

        As with Google, a refresh token comes only with offline access, and again only where the page was forced.
        """
        earlier = any(
            grant.address == address and grant.client_id == request.client_id for grant in self._grants.values()
        )
        renews = request.offline and (request.asks_again or not earlier)
        code = "4/0" + secrets.token_urlsafe(24)
        grant = self._new_grant(address, scopes, request.client_id, now)
        self._codes[code] = Code(request, grant, now + CODE_LIFETIME, renews)
        return code

    def issue(self, address: str, scopes: Collection[str], now: datetime, grant: Grant | None = None) -> str:
        """Return a new access token."""
        token = "ya29." + secrets.token_urlsafe(32)
        self._access[token] = AccessToken(address, frozenset(scopes), now + ACCESS_TOKEN_LIFETIME, grant)
        return token

    def check(self, token: str, now: datetime) -> AccessToken | None:
        """Return what the token stands for, None if it is unknown, expired or revoked."""
        access = self._access.get(token)
        return access if access and now < access.expires else None

    def revoke(self, address: str) -> None:
        """Take back every consent of this account: refresh and access tokens stop working at once."""
        self._grants = {key: grant for key, grant in self._grants.items() if grant.address != address}
        self._access = {key: access for key, access in self._access.items() if access.address != address}

    def revoke_token(self, token: str) -> bool:
        """Take back the consent behind a refresh or access token; False for a token that nobody knows."""
        access = self._access.get(token)
        grant = self._grants.get(token) or (access.grant if access else None)
        if grant is None:
            return False
        self._end(grant)
        return True

    def token(self, form: Mapping[str, str], now: datetime) -> dict[str, str | int]:
        """Answer a request to the token endpoint. Raises OAuthError."""
        self._check_client(form)
        match form.get("grant_type", ""):
            case "authorization_code":
                return self._exchange(form, now)
            case "refresh_token":
                return self._refresh(form, now)
            case other:
                raise OAuthError(400, "unsupported_grant_type", f"Invalid grant_type: {other}")

    def _check_client(self, form: Mapping[str, str]) -> None:
        client_id, given = form.get("client_id", ""), form.get("client_secret")
        if client_id not in self._clients:
            raise OAuthError(401, "invalid_client", "The OAuth client was not found.")
        secret = self._clients[client_id]
        if secret is None and given is not None:
            raise OAuthError(401, "invalid_client", "The client is public, so that no secret should be presented.")
        if secret is not None and not hmac.compare_digest((given or "").encode(), secret.encode()):
            raise OAuthError(401, "invalid_client", "The provided client secret is invalid.")

    def _exchange(self, form: Mapping[str, str], now: datetime) -> dict[str, str | int]:
        """A code for tokens: once, soon, by the client that asked, at the same address, with the verifier."""
        text = form.get("code", "")
        if text in self._used:
            self._end(self._used[text])  # RFC 6749, 4.1.2: somebody else has seen the code
            raise OAuthError(400, "invalid_grant", "Bad Request")
        code = self._codes.pop(text, None)
        if code is None or code.ends <= now or form.get("client_id") != code.request.client_id:
            raise OAuthError(400, "invalid_grant", "Malformed auth code.")
        self._used[text] = code.grant
        if form.get("redirect_uri") != code.request.redirect_uri:
            raise OAuthError(400, "redirect_uri_mismatch", "Bad Request")
        if not proves(form.get("code_verifier", ""), code.request.challenge):
            raise OAuthError(400, "invalid_grant", "Invalid code verifier.")
        answer = self._answer(code.grant, code.grant.scopes, now)
        if code.renews:
            answer["refresh_token"] = self._refresh_token(code.grant)
            if code.grant.ends is not None:
                answer["refresh_token_expires_in"] = int((code.grant.ends - now).total_seconds())
        return answer

    def _refresh(self, form: Mapping[str, str], now: datetime) -> dict[str, str | int]:
        text = form.get("refresh_token", "")
        grant = self._grants.get(text)
        if grant is None or grant.client_id != form["client_id"] or (grant.ends is not None and grant.ends <= now):
            raise OAuthError(400, "invalid_grant", "Token has been expired or revoked.")
        scopes = frozenset(form.get("scope", "").split()) or grant.scopes
        if not scopes <= grant.scopes:
            raise OAuthError(400, "invalid_scope", "Bad Request")
        answer = self._answer(grant, scopes, now)
        if self.rotates:
            del self._grants[text]
            answer["refresh_token"] = self._refresh_token(grant)
        return answer

    def _answer(self, grant: Grant, scopes: Collection[str], now: datetime) -> dict[str, str | int]:
        return {
            "access_token": self.issue(grant.address, scopes, now, grant),
            "expires_in": int(ACCESS_TOKEN_LIFETIME.total_seconds()),
            "scope": " ".join(sorted(scopes)),
            "token_type": "Bearer",
        }

    def _new_grant(self, address: str, scopes: Collection[str], client_id: str, now: datetime) -> Grant:
        return Grant(address, frozenset(scopes), client_id, now + TESTING_LIFETIME if self.testing else None)

    def _refresh_token(self, grant: Grant) -> str:
        text = "1//0" + secrets.token_urlsafe(32)
        self._grants[text] = grant
        return text

    def _end(self, ended: Grant) -> None:
        self._grants = {key: grant for key, grant in self._grants.items() if grant is not ended}
        self._access = {key: access for key, access in self._access.items() if access.grant is not ended}
