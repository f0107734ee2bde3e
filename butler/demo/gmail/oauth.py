"""Google's OAuth 2.0 as far as an authorized user needs it: grants, refreshing, expiry and revoking."""

import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

ACCESS_TOKEN_LIFETIME = timedelta(seconds=3599)
CLIENT_ID = "demo.apps.googleusercontent.com"
CLIENT_SECRET = "GOCSPX-demo"  # noqa: S105 - the stand-in's own client, valid nowhere else
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
    """What a user allowed: the refresh token stands for it."""

    address: str
    scopes: frozenset[str]


@dataclass(frozen=True)
class AccessToken:
    """A token of limited life under a grant; its scopes may be fewer."""

    address: str
    scopes: frozenset[str]
    expires: datetime


class Authority:
    """Issues and checks tokens for all accounts of the server."""

    def __init__(self) -> None:
        self._grants: dict[str, Grant] = {}
        self._access: dict[str, AccessToken] = {}

    def grant(self, address: str, scopes: Collection[str]) -> str:
        """Record a user's consent and return its refresh token."""
        refresh_token = "1//0" + secrets.token_urlsafe(32)
        self._grants[refresh_token] = Grant(address, frozenset(scopes))
        return refresh_token

    def issue(self, address: str, scopes: Collection[str], now: datetime) -> str:
        """Return a new access token."""
        token = "ya29." + secrets.token_urlsafe(32)
        self._access[token] = AccessToken(address, frozenset(scopes), now + ACCESS_TOKEN_LIFETIME)
        return token

    def check(self, token: str, now: datetime) -> AccessToken | None:
        """Return what the token stands for, None if it is unknown, expired or revoked."""
        access = self._access.get(token)
        return access if access and now < access.expires else None

    def revoke(self, address: str) -> None:
        """Take back every consent of this account: refresh and access tokens stop working at once."""
        self._grants = {key: grant for key, grant in self._grants.items() if grant.address != address}
        self._access = {key: access for key, access in self._access.items() if access.address != address}

    def refresh(self, form: Mapping[str, str], now: datetime) -> dict[str, str | int]:
        """Answer a request to the token endpoint. Raises OAuthError."""
        if form.get("grant_type") != "refresh_token":
            raise OAuthError(400, "unsupported_grant_type", f"Invalid grant_type: {form.get('grant_type', '')}")
        if (form.get("client_id"), form.get("client_secret")) != (CLIENT_ID, CLIENT_SECRET):
            raise OAuthError(401, "invalid_client", "The OAuth client was not found.")
        grant = self._grants.get(form.get("refresh_token", ""))
        if grant is None:
            raise OAuthError(400, "invalid_grant", "Token has been expired or revoked.")
        scopes = frozenset(form.get("scope", "").split()) or grant.scopes
        if not scopes <= grant.scopes:
            raise OAuthError(400, "invalid_scope", "Bad Request")
        return {
            "access_token": self.issue(grant.address, scopes, now),
            "expires_in": int(ACCESS_TOKEN_LIFETIME.total_seconds()),
            "scope": " ".join(sorted(scopes)),
            "token_type": "Bearer",
        }
