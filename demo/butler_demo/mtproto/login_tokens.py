"""Login by QR code: tokens that a new device shows and a signed-in one accepts.

https://core.telegram.org/api/qr-login describes the exchange. The times are the real clock's, because clients
compare them with their own.
"""

import base64
import binascii
import secrets
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import parse_qs, urlsplit

from butler_demo.mtproto.authorizations import Authorization
from butler_demo.mtproto.directory import Account
from butler_demo.mtproto.errors import RpcFault

_LIFETIME = timedelta(seconds=30)


@dataclass(slots=True)
class LoginToken:
    """One token and the session that shows it. `unwanted` are accounts that the new device has already."""

    token: bytes
    authorization: Authorization
    expires: datetime
    unwanted: frozenset[int]
    is_used: bool = False


class LoginTokens:
    """All tokens that were shown, and who has accepted which."""

    def __init__(self) -> None:
        self._tokens: dict[bytes, LoginToken] = {}
        self._accepted: dict[int, Account] = {}

    def export(self, authorization: Authorization, unwanted: frozenset[int]) -> LoginToken:
        """A new token for a session to show; older ones stay good until they expire."""
        token = LoginToken(secrets.token_bytes(32), authorization, datetime.now(UTC) + _LIFETIME, unwanted)
        self._tokens[token.token] = token
        return token

    def accept(self, token: bytes, account: Account) -> Authorization:
        """Let the session that shows the token sign in as `account`; returns that session.

        Raises:
            RpcFault: 400 AUTH_TOKEN_INVALIDX, AUTH_TOKEN_ALREADY_ACCEPTED, AUTH_TOKEN_EXPIRED, or
                AUTH_TOKEN_EXCEPTION when the new device has this account already.
        """
        found = self.find(token)
        if account.id in found.unwanted:
            raise RpcFault(400, "AUTH_TOKEN_EXCEPTION")
        found.is_used = True
        self._accepted[found.authorization.key_id] = account
        return found.authorization

    def find(self, token: bytes) -> LoginToken:
        """The token, if it can be accepted; raises as `accept`."""
        found = self._tokens.get(token)
        if found is None:
            raise RpcFault(400, "AUTH_TOKEN_INVALIDX")
        if found.is_used:
            raise RpcFault(400, "AUTH_TOKEN_ALREADY_ACCEPTED")
        if found.expires <= datetime.now(UTC):
            raise RpcFault(400, "AUTH_TOKEN_EXPIRED")
        return found

    def take_accepted(self, authorization: Authorization) -> Account | None:
        """Who has accepted a token of this session, once."""
        return self._accepted.pop(authorization.key_id, None)


def token_of(url: str) -> bytes:
    """The token in a `tg://login?token=...` link, as a QR code holds it.

    Raises:
        ValueError: it is no such link.
    """
    parts = urlsplit(url)
    encoded = parse_qs(parts.query).get("token", [""])[0]
    if (parts.scheme, parts.netloc) != ("tg", "login") or not encoded:
        raise ValueError(f"not a login link: {url}")
    try:
        return base64.urlsafe_b64decode(encoded + "=" * (-len(encoded) % 4))
    except binascii.Error as error:
        raise ValueError(f"not a login link: {url}") from error
