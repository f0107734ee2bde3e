"""An authorization request as it stands in the address of the consent page, and what makes it acceptable."""

import hashlib
import hmac
import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from aiohttp import web

_CHALLENGE = re.compile(r"[A-Za-z0-9_-]{43}")
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})
_SHORTEST_STATE = 16


@dataclass(frozen=True)
class AuthorizationRequest:
    """What a client asks a user for."""

    client_id: str
    redirect_uri: str
    state: str
    challenge: str
    scopes: frozenset[str]
    offline: bool
    asks_again: bool
    """Whether the page comes up although the user has consented before."""


def read_request(
    query: Mapping[str, str], knows_client: Callable[[str], bool], known_scopes: Collection[str]
) -> AuthorizationRequest:
    """Check a request of an installed app, which has to prove itself by PKCE. Raises HTTPBadRequest.

    The consent page does not come up then: it says instead what is wrong, and nobody is redirected.
    """
    if not knows_client(query.get("client_id", "")):
        raise _refused("invalid_client. The OAuth client was not found.")
    if not _is_loopback(query.get("redirect_uri", "")):
        raise _refused("redirect_uri_mismatch")
    if query.get("response_type") != "code":
        raise _refused("invalid_request. Required parameter: response_type=code")
    if query.get("code_challenge_method") != "S256" or not _CHALLENGE.fullmatch(query.get("code_challenge", "")):
        raise _refused("invalid_request. A code_challenge by S256 is required")
    if len(query.get("state", "")) < _SHORTEST_STATE:
        raise _refused("invalid_request. A state that nobody can guess is required")
    scopes = frozenset(query.get("scope", "").split())
    unknown = scopes - frozenset(known_scopes)
    if not scopes or unknown:
        shown = " ".join(sorted(unknown)) or "none given"
        raise _refused(f"invalid_scope. Some requested scopes were invalid: {shown}")
    return AuthorizationRequest(
        client_id=query["client_id"],
        redirect_uri=query["redirect_uri"],
        state=query["state"],
        challenge=query["code_challenge"],
        scopes=scopes,
        offline=query.get("access_type") == "offline" or "offline_access" in scopes,
        asks_again="consent" in query.get("prompt", "").split() or "offline_access" in scopes,
    )


def _refused(error: str) -> web.HTTPException:
    return web.HTTPBadRequest(text=f"Error 400: {error}")


def proves(verifier: str, challenge: str) -> bool:
    """Whether a code verifier belongs to the challenge (RFC 7636, S256)."""
    if not _VERIFIER.fullmatch(verifier):
        return False
    digest = hashlib.sha256(verifier.encode()).digest()
    return hmac.compare_digest(urlsafe_b64encode(digest).rstrip(b"="), challenge.encode())


def _is_loopback(address: str) -> bool:
    parts = urlsplit(address)
    return parts.scheme == "http" and parts.hostname in _LOOPBACK and not parts.query and not parts.fragment
