"""Keys and tokens: who asks, and whether they may write."""

import re
import secrets
from dataclasses import dataclass

from butler_demo.trello.errors import TrelloError, unauthorized

_OAUTH = re.compile(r'(oauth_consumer_key|oauth_token)="([^"]*)"')


@dataclass(frozen=True)
class Credentials:
    """What a person copies from Trello's page."""

    key: str
    token: str


@dataclass(frozen=True)
class Access:
    """What valid credentials stand for."""

    key: str
    token: str
    member_id: str
    may_write: bool


class TokenIssuer:
    """Issues credentials and knows those that are good."""

    def __init__(self) -> None:
        self._keys: set[str] = set()
        self._tokens: dict[str, Access] = {}

    def issue(self, member_id: str, *, may_write: bool, key: str = "") -> Credentials:
        """Return new credentials of a member; `key` is another token's, for two tokens of one application."""
        key = key or secrets.token_hex(16)
        token = f"ATTA{secrets.token_hex(36)}"
        self._keys.add(key)
        self._tokens[token] = Access(key, token, member_id, may_write)
        return Credentials(key, token)

    def revoke(self, member_id: str) -> None:
        """Make all tokens of a member invalid."""
        self._tokens = {token: access for token, access in self._tokens.items() if access.member_id != member_id}

    def access(self, authorization: str) -> Access:
        """Return whose credentials a request carries in its header. Raises TrelloError 401."""
        header = dict(_OAUTH.findall(authorization))
        key, token = header.get("oauth_consumer_key", ""), header.get("oauth_token", "")
        if key not in self._keys:
            raise TrelloError(401, "invalid key")
        if not token:
            raise unauthorized()
        access = self._tokens.get(token)
        if access is None or access.key != key:
            raise TrelloError(401, "invalid token")
        return access
