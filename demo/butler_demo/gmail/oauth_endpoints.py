"""The authority's pages on the wire: the consent page, the token endpoint and revoking."""

from collections import deque
from collections.abc import Awaitable, Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from aiohttp import web

from butler_demo.faults import FaultOrders
from butler_demo.gmail.oauth import OPERATION_ID, Authority, OAuthError
from butler_demo.gmail.oauth_request import read_request
from butler_demo.google.faults import Fault
from butler_demo.google.wire import ConnectionDropError

ISSUER = "https://accounts.google.com"
OTHER_SCOPES = frozenset(
    {
        "openid",
        "email",
        "profile",
        "offline_access",
        "https://outlook.office.com/IMAP.AccessAsUser.All",
        "https://outlook.office.com/SMTP.Send",
    }
)
"""Scopes that stand in no API's description; the last three are Outlook's."""
Answer = Callable[[web.Request], Awaitable[web.Response]]


@dataclass(frozen=True)
class Decision:
    """What the user does on the consent page: who they sign in as, and which scopes they leave ticked (None: all)."""

    address: str
    scopes: frozenset[str] | None = None
    refuses: bool = False


class OAuthEndpoints:
    """Handlers for aiohttp. Each visit of the consent page uses up one decision."""

    def __init__(
        self,
        authority: Authority,
        faults: FaultOrders[Fault],
        known_scopes: Collection[str],
        now: Callable[[], datetime],
    ) -> None:
        self._authority, self._faults, self._now = authority, faults, now
        self._known_scopes = frozenset(known_scopes) | OTHER_SCOPES
        self._decisions: deque[Decision] = deque()

    def decide(self, decision: Decision) -> None:
        """Say what the user does at the next visit of the consent page."""
        self._decisions.append(decision)

    def routes(self) -> list[tuple[str, str, Answer]]:
        """Method, path and handler of each page."""
        return [
            ("GET", "/o/oauth2/v2/auth", self.answer_authorization),
            ("POST", "/token", self.answer_token),
            ("POST", "/revoke", self.answer_revocation),
        ]

    async def answer_authorization(self, request: web.Request) -> web.Response:
        """The consent page: it redirects to the client with a code or a refusal, or says what is wrong."""
        asked = read_request(dict(request.query), self._authority.knows, self._known_scopes)
        decision = self._decisions.popleft()
        if decision.refuses:
            answer = {"error": "access_denied"}
        else:
            scopes = asked.scopes if decision.scopes is None else asked.scopes & decision.scopes
            code = self._authority.consent(decision.address, asked, scopes, self._now())
            answer = {"code": code, "scope": " ".join(sorted(scopes))}
        query = urlencode({"state": asked.state, "iss": ISSUER, **answer})
        return web.Response(status=302, headers={"Location": f"{asked.redirect_uri}?{query}"})

    async def answer_token(self, request: web.Request) -> web.Response:
        """A code or a refresh token for an access token. Raises ConnectionDropError by order."""
        form = {key: value for key, value in (await request.post()).items() if isinstance(value, str)}
        fault = self._faults.take(OPERATION_ID)
        if fault and not fault.after_effect:
            return web.json_response({"error": fault.reason}, status=fault.status)
        try:
            answer = self._authority.token(form, self._now())
        except OAuthError as error:
            body = {"error": error.error, "error_description": error.description}
            return web.json_response(body, status=error.status)
        if fault:
            raise ConnectionDropError
        return web.json_response(answer, headers={"Cache-Control": "no-store"})

    async def answer_revocation(self, request: web.Request) -> web.Response:
        """Take back the consent behind a token."""
        token = (await request.post()).get("token", "")
        if isinstance(token, str) and self._authority.revoke_token(token):
            return web.json_response({})
        body = {"error": "invalid_token", "error_description": "Token expired or revoked"}
        return web.json_response(body, status=400)
