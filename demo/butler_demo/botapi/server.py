"""The Bot API stand-in: a strict server on loopback that the real client libraries talk to."""

import asyncio
import socket
import time
from collections import deque
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeVar

from aiohttp import web
from aiohttp.abc import AbstractStreamWriter
from aiohttp.http import RawRequestMessage
from aiohttp.streams import StreamReader
from aiohttp.web_protocol import RequestHandler

from butler_demo.serving import close_listener, hold_port

from .bodies import read_params
from .chats import Bot
from .content import UPLOAD_LIMIT
from .description import Method
from .errors import ApiError, not_built
from .faults import Fault, Faults, FloodLimit
from .methods.request import Request
from .methods.table import METHODS
from .methods.updates import get_updates
from .people import People
from .records import Call, Callback, Clock, Event, Json
from .state import State, to_wire
from .webhooks import Webhooks

T = TypeVar("T")
_BODY_LIMIT = UPLOAD_LIMIT + 2**20
_STOP_SECONDS = 1.0
_NOT_FOUND = ApiError(404, "Not Found")


class BotApiServer(People):
    """A Telegram of its own: bots, people and chats behind `url`, everything in memory.

    `now` is the clock of dates, of the 24 h an update is kept and of the 15 s a press can be answered.
    `validate=False` skips the checks against the description, for benchmarks.
    """

    def __init__(self, *, now: Clock = time.time, validate: bool = True) -> None:
        super().__init__(State(now, validate=validate))
        self.faults = Faults(now)
        self.webhooks = Webhooks(self.state)
        self._host, self._port = "127.0.0.1", 0
        self._http: web.Server | None = None
        self._listener: asyncio.Server | None = None
        self._held: socket.socket | None = None

    # --- its life

    @property
    def url(self) -> str:
        """The base address: `<url>/bot<token>/<method>` and `<url>/file/bot<token>/<path>`."""
        return f"http://{self._host}:{self._port}"

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; port 0 takes a free one, which stays the server's until `stop`."""
        self._held = hold_port(host, port)
        self._host, self._port = self._held.getsockname()
        self._http = web.Server(
            self._handle, request_factory=_roomy_request, handler_cancellation=True, access_log=None
        )
        self.webhooks.start()
        await self.come_back()

    async def stop(self) -> None:
        await self.webhooks.stop()
        await self.go_offline()
        if self._http is not None:
            await self._http.shutdown(_STOP_SECONDS)
            self._http = None
        if self._held is not None:
            self._held.close()
            self._held = None

    def drop_connections(self) -> None:
        """Abort every open connection, answers under way included."""
        for connection in self._http.connections if self._http else []:
            transport = connection.transport
            if transport is not None:
                transport.abort()

    async def go_offline(self) -> None:
        """Refuse connections on the port and drop the open ones; what people do still queues up."""
        if self._listener is not None:
            await close_listener(self._listener)
            self._listener = None
        self.drop_connections()

    async def come_back(self) -> None:
        """Listen again on the same port."""
        if self._http is None:
            raise RuntimeError("the server is not started")
        if self._listener is None:
            loop = asyncio.get_running_loop()
            self._listener = await loop.create_server(self._http, self._host, self._port, reuse_port=True)

    # --- faults

    def fail(
        self,
        method: str,
        code: int,
        description: str,
        *,
        retry_after: int | None = None,
        times: int = 1,
        after_effect: bool = False,
    ) -> None:
        """Refuse the next `times` calls of a method ("*" for any).

        With `after_effect` the effect happens and the connection drops without an answer instead.
        """
        parameters: Json | None = None if retry_after is None else {"retry_after": retry_after}
        error = ApiError(code, description, parameters)
        fault = Fault(drop_after_effect=True) if after_effect else Fault(error)
        self.faults.place(method, fault, times)

    def slow(self, method: str, seconds: float, *, times: int = 1) -> None:
        """Hold back the answer of the next calls of a method; the effect happens at once."""
        self.faults.place(method, Fault(delay=seconds), times)

    def limit_flood(self, messages: int, seconds: float) -> None:
        """Switch on 429 for more than `messages` sends and edits to one chat in `seconds`."""
        self.faults.flood_limit = FloodLimit(messages, seconds)

    def clear_faults(self) -> None:
        """Forget ordered faults that have not struck and switch flood control off."""
        self.faults.clear()

    # --- bots and what is seen of them

    def add_bot(self, token: str, username: str, name: str) -> None:
        """A bot, which sees everything in its groups."""
        self.state.add_bot(token, username, name)

    def replay(self, update_id: int) -> None:
        """Hand out an update once more although it was confirmed."""
        if not any(bot.feed.replay(update_id) for bot in self.state.bots.values()):
            raise ValueError(f"no update {update_id} was issued")

    def reach(self, public: str, address: str) -> None:
        """Let a public address of a webhook lead somewhere, as a proxy does; an empty one closes the way."""
        self.webhooks.reach(public, address)

    def webhook(self, token: str) -> str:
        """The address that a bot has set; empty for none."""
        return str(self.state.known_bot(token).webhook.get("url", ""))

    def updates(self, token: str) -> list[Json]:
        """The updates issued to a bot so far, confirmed or not, oldest first."""
        return [queued.update for queued in self.state.known_bot(token).feed.history]

    def pending_updates(self, token: str) -> int:
        """How many updates the bot has not confirmed."""
        return self.state.known_bot(token).feed.pending()

    def is_polling(self, token: str) -> bool:
        """True while a long poll of the bot hangs."""
        return self.state.known_bot(token).feed.waiting

    def messages(self, token: str, chat_id: int) -> list[Json]:
        """A chat's messages as they stand now, oldest first."""
        return list(self.state.known_chat(self.state.known_bot(token), chat_id).messages.values())

    @property
    def callbacks(self) -> list[Callback]:
        """Presses with their answers, oldest first."""
        return list(self.state.callbacks.values())

    @property
    def calls(self) -> deque[Call]:
        """The requests for methods, oldest first; the newest 20,000 are kept."""
        return self.state.calls

    def picture(self, file_id: str) -> bytes | None:
        """The bytes of a photo that stands in a chat; None for any other file."""
        stored = self.state.files.get(file_id)
        return stored.upload.content if stored is not None and stored.path.startswith("photos/") else None

    def subscribe(self, callback: Callable[[Event], None]) -> Callable[[], None]:
        """Call back on each event, in the server's loop. Returns what ends the subscription."""
        self.state.subscribers.append(callback)
        return lambda: self.state.subscribers.remove(callback)

    async def wait_for(self, condition: Callable[[], T], *, within: float = 60.0) -> T:
        """The first true value of a condition on this server, tried after each change.

        Raises TimeoutError after `within` seconds.
        """
        return await self.state.changes.until(condition, within)

    # --- the wire

    async def _handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path = request.path
        if path.startswith("/bot"):
            token, _, name = path.removeprefix("/bot").partition("/")
            return await self._answer(request, token, name)
        if path.startswith("/file/bot"):
            token, _, file_path = path.removeprefix("/file/bot").partition("/")
            return self._download(token, file_path)
        return _refusal(_NOT_FOUND)

    async def _answer(self, request: web.BaseRequest, token: str, name: str) -> web.StreamResponse:
        call: Call | None = None
        fault: Fault | None = None
        try:
            bot = self.state.bot(token)
            method = self.state.description.methods.get(name.lower())
            if method is None:
                raise _NOT_FOUND
            params = method.decoded(await read_params(request))
            call = Call(token, method.name, params, self.state.now())
            self.state.calls.append(call)
            self.state.changes.touch()
            fault = self.faults.take(method.name)
            if fault is not None and fault.error is not None:
                raise fault.error
            response = _json_response(b'{"ok":true,"result":' + await self._result(method, bot, params) + b"}")
        except ApiError as refused:
            if call is not None:
                call.error = refused.description
            response = _refusal(refused)
        except web.HTTPRequestEntityTooLarge:
            response = _refusal(ApiError(413, "Request Entity Too Large"))
        if fault is not None:
            await _strike(fault, request)
        return response

    async def _result(self, method: Method, bot: Bot, params: Json) -> bytes:
        problem = method.problem_of(params) if self.state.validate else None
        if problem is not None:
            raise problem
        request = Request(self.state, self.faults, bot, params)
        if method.name == "getUpdates":
            return await get_updates(request)
        handler = METHODS.get(method.name)
        if handler is None:
            raise not_built(method.name)
        result = handler(request)
        wrong = method.check_answer(result) if self.state.validate else None
        if wrong is not None:
            raise RuntimeError(f"the stand-in's own answer to {method.name} is against the description: {wrong}")
        return to_wire(result)

    def _download(self, token: str, file_path: str) -> web.StreamResponse:
        try:
            self.state.bot(token)
        except ApiError as refused:
            return _refusal(refused)
        for stored in self.state.files.values():
            if stored.path == file_path:
                return web.Response(body=stored.upload.content, content_type="application/octet-stream")
        return _refusal(ApiError(HTTPStatus.NOT_FOUND, "Not Found"))


async def _strike(fault: Fault, request: web.BaseRequest) -> None:
    if fault.delay:
        await asyncio.sleep(fault.delay)
    if fault.drop_after_effect and request.transport is not None:
        request.transport.abort()
        # The lost connection cancels this handler; nothing may be answered before that.
        await asyncio.get_running_loop().create_future()


def _json_response(body: bytes, status: int = 200) -> web.Response:
    return web.Response(body=body, status=status, content_type="application/json")


def _refusal(error: ApiError) -> web.Response:
    return _json_response(to_wire(error.as_answer()), error.code)


def _roomy_request(
    message: RawRequestMessage,
    payload: StreamReader,
    protocol: RequestHandler,
    writer: AbstractStreamWriter,
    task: "asyncio.Task[None]",
) -> web.BaseRequest:
    """A request that may be as large as Telegram's uploads."""
    loop = asyncio.get_running_loop()
    return web.BaseRequest(message, payload, protocol, writer, task, loop, client_max_size=_BODY_LIMIT)
