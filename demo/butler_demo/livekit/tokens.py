"""Access tokens as LiveKit checks them: HS256, a key that is known, an end that is said, and what they allow."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, cast

import jwt

from butler_demo.livekit.errors import TwirpError

LEEWAY = timedelta(minutes=1)
TIMES_ARE_OURS = {"require": ["exp"], "verify_exp": False, "verify_nbf": False, "verify_iat": False}


@dataclass(frozen=True, slots=True)
class Token:
    """A token that is good."""

    identity: str
    name: str
    grants: Mapping[str, Any]
    """The `video` claim."""
    expires_at: datetime

    def room_to_join(self) -> str:
        """The one room that it lets its holder into. Raises `TwirpError`."""
        room = self.grants.get("room")
        if not (self.grants.get("roomJoin") and room and self.identity):
            raise TwirpError("permission_denied", "the token lets nobody into a room")
        return str(room)


def verified(token: str, secrets: Mapping[str, str], now: datetime) -> Token:
    """What a token says. Raises `TwirpError` where it is not good at `now`."""
    try:
        issuer = jwt.decode(token, options={"verify_signature": False}).get("iss", "")
        if issuer not in secrets:
            raise TwirpError("unauthenticated", "the API key is not known")
        claims = jwt.decode(token, secrets[issuer], algorithms=["HS256"], options=cast("Any", TIMES_ARE_OURS))
        expires_at, begins = (datetime.fromtimestamp(claims.get(name, 0), UTC) for name in ("exp", "nbf"))
    except (jwt.InvalidTokenError, TypeError, ValueError, OverflowError) as error:
        raise TwirpError("unauthenticated", "the token is not valid") from error
    if now > expires_at + LEEWAY:
        raise TwirpError("unauthenticated", "the token has expired")
    if now < begins - LEEWAY:
        raise TwirpError("unauthenticated", "the token is not valid yet")
    grants: Mapping[str, Any] = claims.get("video") or {}
    return Token(str(claims.get("sub", "")), str(claims.get("name", "")), grants, expires_at)
