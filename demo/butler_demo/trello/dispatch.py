"""From a request to an answer: authenticate, count, match, check, perform, check the answer."""

import json
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from butler_demo.faults import FaultOrders
from butler_demo.schemas import SchemaError
from butler_demo.trello.credentials import Access, TokenOffice
from butler_demo.trello.description import Operation, published_description
from butler_demo.trello.editing import Editor
from butler_demo.trello.errors import TrelloError, unauthorized
from butler_demo.trello.limits import Meter
from butler_demo.trello.operations import OPERATIONS, Call
from butler_demo.trello.state import State

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

    With `after_effect` the work is done before. `retry_after` is in seconds.
    """

    error: TrelloError | None = None
    drops: bool = False
    hangs: bool = False
    after_effect: bool = False
    retry_after: int | None = None


@dataclass(frozen=True)
class Request:
    """What a client asks. `path` is without the version; `parameters` are those of the address and of the body."""

    method: str
    path: str
    parameters: Mapping[str, object]
    authorization: str


@dataclass(frozen=True)
class Reply:
    """What the client gets; `dropped` closes the connection instead, and `hangs` keeps it open for ever."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    hangs: bool = False
    dropped: bool = False


class Dispatcher:
    """Answers requests."""

    def __init__(
        self,
        state: State,
        office: TokenOffice,
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

    def answer(self, request: Request) -> Reply:
        """Answer one request."""
        headers: dict[str, str] = {}
        try:
            access = self._office.access(request.authorization)
            self._meter.charge(access, request.path, self._now())
            headers |= self._meter.headers(access, self._now())
            operation, path = self._description.match(request.method, request.path)
            fault = self._faults.take(operation.id)
            if fault and not fault.after_effect:
                return _faulty(fault, headers)
            value = self._perform(operation, path, request, access)
        except TrelloError as error:
            return _refusal(error, headers)
        if fault:
            return _faulty(fault, headers)
        return Reply(body=json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode(), headers=headers)

    def _perform(self, operation: Operation, path: Mapping[str, str], request: Request, access: Access) -> object:
        operation.check_path(path)
        parameters = operation.read(request.parameters)
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


def _faulty(fault: Fault, headers: dict[str, str]) -> Reply:
    if fault.error is None:
        return Reply(body=_GARBLED, headers=headers, hangs=fault.hangs, dropped=fault.drops)
    retry = {} if fault.retry_after is None else {"Retry-After": str(fault.retry_after)}
    return _refusal(fault.error, headers | retry)


def _refusal(error: TrelloError, headers: dict[str, str]) -> Reply:
    return Reply(error.status, error.body(), error.content_type, headers)
