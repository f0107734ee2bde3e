"""A Gmail API v1 stand-in on a loopback socket: stateful, strict, with faults by order.

Every request and every answer is checked against the discovery document of Google's own client library.
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection
from datetime import UTC, datetime

from aiohttp import web

from butler.demo.gmail.description import load_description
from butler.demo.gmail.dispatch import ConnectionDropError, Dispatcher
from butler.demo.gmail.faults import Fault, FaultOrders
from butler.demo.gmail.google_errors import GoogleError
from butler.demo.gmail.oauth import CLIENT_ID, CLIENT_SECRET, OPERATION_ID, Authority
from butler.demo.gmail.oauth_endpoints import Decision, OAuthEndpoints
from butler.demo.gmail.operations import OPERATIONS
from butler.demo.gmail.post_office import OutgoingHook, PostOffice
from butler.demo.gmail.records import Call, MailEvent, Message, MessageIdPolicy, SentMail

MODIFY_SCOPE = "https://www.googleapis.com/auth/gmail.modify"
_LARGEST_REQUEST = 50 * 1024 * 1024  # bytes: Gmail's 35 MB of mail, as base64


def utc_now() -> datetime:
    """Return the machine's time."""
    return datetime.now(UTC)


class GmailServer:
    """The stand-in. Its methods are called on the event loop that serves it."""

    def __init__(
        self,
        *,
        now: Callable[[], datetime] = utc_now,
        message_ids: MessageIdPolicy = MessageIdPolicy.KEEP_PLAUSIBLE,
        on_outgoing: OutgoingHook | None = None,
    ) -> None:
        """Create a server without accounts.

        `now` returns aware times; tokens expire and mails are dated by it. `message_ids` says what sending
        does to Message-IDs. `on_outgoing(raw, sender, recipients)` gets mail to addresses without account.
        """
        self._now = now
        self._description = load_description()
        self._authority = Authority()
        self._faults = FaultOrders()
        self._oauth = OAuthEndpoints(self._authority, self._faults, self._description.scopes, now)
        self._listeners: list[Callable[[MailEvent], None]] = []
        self._post_office = PostOffice(message_ids, self._announce, on_outgoing)
        self._dispatcher = Dispatcher(self._description, self._authority, self._post_office, self._faults, self._now)
        self._offline = False
        self._runner: web.AppRunner | None = None
        self._url = ""

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Serve; port 0 takes a free one, see `url`."""
        app = web.Application(client_max_size=_LARGEST_REQUEST)
        for method, path, answer in self._oauth.routes():
            app.router.add_route(method, path, self._handler(answer))
        app.router.add_route("*", "/{path:.*}", self._handler(self._dispatcher.answer))
        self._runner = web.AppRunner(app, access_log=None, shutdown_timeout=1)
        await self._runner.setup()
        await web.TCPSite(self._runner, host, port).start()
        bound_host, bound_port = self._runner.addresses[0][:2]
        self._url = f"http://{bound_host}:{bound_port}/"

    async def stop(self) -> None:
        """Close every connection and the port."""
        if self._runner:
            await self._runner.cleanup()
            self._runner = None

    @property
    def url(self) -> str:
        """The root address, with a slash at its end."""
        if not self._url:
            raise RuntimeError("the Gmail stand-in has no address yet; start it first")
        return self._url

    @property
    def calls(self) -> list[Call]:
        """Every call whose token and parameters were in order, oldest first."""
        return self._dispatcher.calls

    def add_account(self, address: str, name: str) -> None:
        """Open a mailbox for this address; `name` is the owner's display name. Raises ValueError if it is there."""
        self._post_office.open(address, name)

    def token_for(self, address: str, scopes: Collection[str] = (MODIFY_SCOPE,)) -> str:
        """Return an access token for the account, as a finished consent would."""
        return self._authority.issue(self._post_office.mailbox(address).address, self._known(scopes), self._now())

    def credentials_json(self, address: str, scopes: Collection[str] = (MODIFY_SCOPE,)) -> str:
        """Return google-auth's authorized_user JSON with a new refresh token and our token endpoint."""
        account = self._post_office.mailbox(address).address
        return json.dumps(
            {
                "type": "authorized_user",
                "client_id": CLIENT_ID,
                "client_secret": CLIENT_SECRET,
                "refresh_token": self._authority.grant(account, self._known(scopes), self._now()),
                "token_uri": f"{self.url}token",
                "scopes": sorted(scopes),
                "account": account,
            }
        )

    @property
    def authority(self) -> Authority:
        """Where consents and tokens are, and how the authority behaves."""
        return self._authority

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
        self._authority.revoke(self._post_office.mailbox(address).address)

    def deliver(
        self, to_address: str, raw_bytes: bytes, *, received: datetime | None = None, unread: bool = True
    ) -> Message:
        """Put a mail into the account's inbox, now or as received at an earlier time."""
        return self._post_office.deliver(to_address, raw_bytes, received or self._now(), unread=unread)

    def mailbox(self, address: str) -> tuple[Message, ...]:
        """Return all mails of the account with their labels, newest first."""
        return tuple(self._post_office.mailbox(address).newest_first())

    def sent_by(self, address: str) -> tuple[SentMail, ...]:
        """Return what the provider accepted from the account, oldest first, whatever became of it later."""
        sender = self._post_office.mailbox(address).address
        return tuple(mail for mail in self._post_office.sent if mail.sender == sender)

    def forget_history(self, address: str) -> None:
        """Make every historyId handed out so far too old: `history.list` answers 404 to it."""
        self._post_office.mailbox(address).history.forget()

    def subscribe(self, callback: Callable[[MailEvent], None]) -> Callable[[], None]:
        """Call `callback` at every change in any mailbox; the returned function ends that."""
        self._listeners.append(callback)
        return lambda: self._listeners.remove(callback)

    def fail(
        self,
        operation_id: str,
        status: int,
        reason: str,
        *,
        times: int = 1,
        retry_after: int | None = None,
        after_effect: bool = False,
    ) -> None:
        """Let the next `times` calls of an operation fail with this status and reason.

        `operation_id` is a discovery id, or `oauth2.token`. `retry_after` is in seconds. With `after_effect`
        the work is done and the connection closes without an answer; status and reason are not seen then.
        """
        if operation_id not in OPERATIONS and operation_id != OPERATION_ID:
            raise ValueError(f"the stand-in has no operation {operation_id}")
        self._faults.place(operation_id, Fault(status, reason, retry_after, after_effect), times)

    def go_offline(self) -> None:
        """Close every connection without an answer from now on."""
        self._offline = True

    def come_back(self) -> None:
        """Answer again."""
        self._offline = False

    def _announce(self, event: MailEvent) -> None:
        for listener in list(self._listeners):
            listener(event)

    def _handler(
        self, answer: Callable[[web.Request], Awaitable[web.Response]]
    ) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            try:
                return _drop(request) if self._offline else await answer(request)
            except GoogleError as error:
                return web.json_response(error.body(), status=error.status, headers=error.headers)
            except ConnectionDropError:
                return _drop(request)

        return handle

    def _known(self, scopes: Collection[str]) -> Collection[str]:
        if unknown := sorted(set(scopes) - self._description.scopes):
            raise ValueError(f"Gmail has no scope {unknown[0]}; give the whole address of the scope")
        return scopes


def _drop(request: web.Request) -> web.Response:
    if isinstance(request.transport, asyncio.Transport):
        request.transport.abort()
    return web.Response()  # for aiohttp; nothing of it reaches the client
