"""From a request to an answer: authenticate, count, match, check, perform, check the answer."""

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import cast

from aiohttp import web

from butler_demo.faults import FaultOrders
from butler_demo.schemas import SchemaError
from butler_demo.serving import drop
from butler_demo.trello.credentials import Access, TokenIssuer
from butler_demo.trello.description import Operation, published_description
from butler_demo.trello.editing import Editor
from butler_demo.trello.errors import TrelloError, unauthorized
from butler_demo.trello.limits import Meter
from butler_demo.trello.operations import OPERATIONS, Call
from butler_demo.trello.records import Json
from butler_demo.trello.state import State

VERSION = "/1"
CALLS_KEPT = 20_000
_GARBLED = b'{"id": "5ca1ab1e'


@dataclass(frozen=True)
class CallRecord:
    """A request whose credentials and parameters were in order, for tests to look at."""

    operation: str
    path: Mapping[str, str]
    parameters: Mapping[str, object]
    at: datetime


@dataclass(frozen=True)
class Fault:
    """One call that goes wrong: refused, dropped without an answer, never answered, or else answered by half a text.

    With `after_effect` the work is done before.
    """

    error: TrelloError | None = None
    drops: bool = False
    hangs: bool = False
    after_effect: bool = False


class Dispatcher:
    """Answers requests."""

    def __init__(
        self,
        state: State,
        office: TokenIssuer,
        faults: FaultOrders[Fault],
        meter: Meter,
        now: Callable[[], datetime],
    ) -> None:
        self.calls: deque[CallRecord] = deque(maxlen=CALLS_KEPT)
        self._state = state
        self._editor = Editor(state)
        self._office = office
        self._faults = faults
        self._meter = meter
        self._now = now
        self._description = published_description()

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one request; by order it may be dropped, or never answered."""
        headers: dict[str, str] = {}
        try:
            access = self._office.access(request.headers.get("Authorization", ""))
            address = request.rel_url.raw_path.removeprefix(VERSION)
            self._meter.charge(access, address, self._now())
            headers |= self._meter.headers(access, self._now())
            operation, path = self._description.match(request.method, address)
            fault = self._faults.take(operation.id)
            parameters = {**request.query, **await _body(request)}
            value = None if fault and not fault.after_effect else self._perform(operation, path, parameters, access)
            if fault:
                return await self._strike(fault, request, headers)
        except TrelloError as error:
            return web.Response(status=error.status, body=error.body(), headers=headers | error.headers)
        return web.json_response(value, headers=headers, dumps=_dumps)

    def _perform(
        self, operation: Operation, path: Mapping[str, str], raw: Mapping[str, object], access: Access
    ) -> object:
        operation.check_path(path)
        parameters = operation.read(raw)
        if operation.http_method != "GET" and not access.may_write:
            raise unauthorized()
        self.calls.append(CallRecord(operation.id, path, parameters, self._now()))
        value = OPERATIONS[operation.id](Call(self._state, self._editor, access.member_id, path, parameters))
        try:
            operation.schemas.check(operation.answer, value)
        except SchemaError as problem:
            message = f"the stand-in's own answer to {operation.id} is against the description: {problem}"
            raise TrelloError(500, message) from problem
        return value

    async def _strike(self, fault: Fault, request: web.Request, headers: dict[str, str]) -> web.Response:
        if fault.hangs:
            await asyncio.get_running_loop().create_future()  # the client's going away or `stop` ends it
        if fault.drops:
            return drop(request)
        if fault.error is not None:
            raise fault.error
        return web.Response(body=_GARBLED, content_type="application/json", headers=headers)


async def _body(request: web.Request) -> Json:
    """The parameters in a JSON body. Raises TrelloError."""
    try:
        parsed: object = json.loads(await request.text() or "{}")
    except ValueError:
        parsed = None
    if not isinstance(parsed, dict):
        raise TrelloError(400, "Error parsing body")
    return cast("Json", parsed)


def _dumps(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
