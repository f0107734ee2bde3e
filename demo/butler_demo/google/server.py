"""One API of Google's on a loopback socket: consents, tokens, quota and faults by order around a service.

Every request and every answer is checked against the discovery document of Google's own client library.
"""

import json
from collections.abc import Awaitable, Callable, Collection
from datetime import datetime

from aiohttp import web

from butler_demo.faults import FaultOrders
from butler_demo.gmail.oauth import CLIENT_ID, CLIENT_SECRET, OPERATION_ID, Authority
from butler_demo.gmail.oauth_endpoints import Decision, OAuthEndpoints
from butler_demo.google.call import CallRecord
from butler_demo.google.description import known_scopes
from butler_demo.google.dispatch import Dispatcher
from butler_demo.google.errors import GoogleError
from butler_demo.google.faults import Fault
from butler_demo.google.quota import Meter, QuotaRules, Refusal
from butler_demo.google.service import Service
from butler_demo.google.wire import ConnectionDropError, read_request
from butler_demo.serving import HttpServer, drop


class GoogleServer(HttpServer):
    """What the three stand-ins have in common."""

    largest_request = 50 * 1024 * 1024  # Gmail's 35 MB of mail, as base64

    def __init__(
        self,
        service: Service,
        scopes: Collection[str],
        rules: QuotaRules,
        now: Callable[[], datetime],
        shared: Authority | None,
    ) -> None:
        """`scopes` are given where none are named; `shared` is another stand-in's authority, for one consent."""
        super().__init__()
        self._service = service
        self._usual_scopes = scopes
        self._now = now
        self._authority = shared or Authority()
        self._faults: FaultOrders[Fault] = FaultOrders()
        self._oauth = OAuthEndpoints(self._authority, self._faults, known_scopes(), now)
        self._meter = Meter(rules)
        self._dispatcher = Dispatcher(service, self._authority, self._faults, self._meter, now)

    @property
    def url(self) -> str:
        """The root address, with a slash at its end."""
        return f"{super().url}/"

    def routes(self) -> list[web.RouteDef]:
        """The authority's pages, and the API."""
        pages = self._oauth.routes()
        return [web.route(method, path, self._guarded(answer)) for method, path, answer in pages] + super().routes()

    async def handle(self, request: web.Request) -> web.Response:
        """Answer a call of the API."""
        return await self._guarded(self._answer)(request)

    @property
    def calls(self) -> list[CallRecord]:
        """Every call whose token and parameters were in order, oldest first."""
        return self._dispatcher.calls

    # Consents and tokens

    @property
    def authority(self) -> Authority:
        """Where consents and tokens are, and how the authority behaves."""
        return self._authority

    def token_for(self, address: str, scopes: Collection[str] | None = None) -> str:
        """Return an access token for the account, as a finished consent would."""
        return self._authority.issue(self._service.account(address), self._known(scopes), self._now())

    def credentials_json(self, address: str, scopes: Collection[str] | None = None) -> str:
        """Return google-auth's authorized_user JSON with a new refresh token and our token endpoint."""
        account, given = self._service.account(address), self._known(scopes)
        return json.dumps(
            {
                "type": "authorized_user",
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
                "refresh_token": self._authority.grant(account, given, self._now()),
                "token_uri": f"{self.url}token",
                "scopes": sorted(given),
                "account": account,
            }
        )

    def decide(self, address: str, scopes: Collection[str] | None = None, *, refuses: bool = False) -> None:
        """Say what the user does at the next visit of the consent page; None leaves every scope ticked."""
        self._oauth.decide(Decision(address, None if scopes is None else frozenset(scopes), refuses))

    def client_json(self) -> str:
        """Return the file that the cloud console offers for an OAuth client of the kind "Desktop app"."""
        return json.dumps(
            {
                "installed": {
                    "client_id": CLIENT_ID,
                    "project_id": "demo",
                    "auth_uri": f"{self.url}o/oauth2/v2/auth",
                    "token_uri": f"{self.url}token",
                    "client_secret": CLIENT_SECRET,
                    "redirect_uris": ["http://localhost"],
                }
            }
        )

    def revoke(self, address: str) -> None:
        """Take back all consents of the account: refreshing answers `invalid_grant` from now on."""
        self._authority.revoke(self._service.account(address))

    # Quota

    def enforce_quota(self, rules: QuotaRules | None = None, refusal: Refusal = Refusal.RATE_429) -> None:
        """Refuse what goes over the budgets from now on; without this everything is counted and nothing refused."""
        self._meter.rules = rules or self._meter.rules
        self._meter.refusal = refusal
        self._meter.enforced = True

    def spent_in_all(self, address: str) -> int:
        """Return the quota units that the account spent since the start."""
        return self._meter.spent_in_all(self._service.account(address))

    def calls_in_all(self, address: str) -> int:
        """Return how many calls the account made since the start that were not refused."""
        return self._meter.calls_in_all(self._service.account(address))

    @property
    def refused_calls(self) -> int:
        """How many calls a quota has refused."""
        return self._meter.refused

    def slow_down(self, latency_s: float) -> None:
        """Let every call take so long from now on."""
        self._dispatcher.latency_s = latency_s

    # Faults

    def fail(
        self,
        operation_id: str,
        status: int,
        reason: str,
        *,
        times: int = 1,
        retry_after: int | None = None,
        after_effect: bool = False,
        message: str = "",
    ) -> None:
        """Let the next `times` calls of an operation fail with this status and reason.

        `operation_id` is a discovery id, or `oauth2.token`. `retry_after` is in seconds. With `after_effect`
        the work is done and the connection closes without an answer; status and reason are not seen then. Status 0
        closes the connection before anything is done. `message` is what the error says, where that matters.
        """
        if operation_id not in self._service.operations and operation_id != OPERATION_ID:
            raise ValueError(f"the stand-in has no operation {operation_id}")
        self._faults.place(operation_id, Fault(status, reason, retry_after, after_effect, message), times)

    async def _answer(self, request: web.Request) -> web.Response:
        return (await self._dispatcher.answer(await read_request(request))).on_the_wire()

    def _guarded(
        self, answer: Callable[[web.Request], Awaitable[web.Response]]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            try:
                return await answer(request)
            except GoogleError as error:
                return self._dispatcher.refusal(error).on_the_wire()
            except ConnectionDropError:
                return drop(request)

        return handle

    def _known(self, scopes: Collection[str] | None) -> Collection[str]:
        given = self._usual_scopes if scopes is None else scopes
        if unknown := sorted(set(given) - known_scopes()):
            raise ValueError(f"Google has no scope {unknown[0]}; give the whole address of the scope")
        return given
