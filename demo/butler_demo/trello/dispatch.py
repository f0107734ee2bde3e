"""From a request to an answer: match, authenticate, count, check, perform, check the answer."""

import json
import math
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from urllib.parse import parse_qsl, urlsplit

from butler_demo.trello.call import Call, CallRecord
from butler_demo.trello.credentials import Access, TokenOffice
from butler_demo.trello.description import published_description
from butler_demo.trello.editing import Editor
from butler_demo.trello.errors import TrelloError, invalid_value, not_in_stand_in, unauthorized
from butler_demo.trello.faults import Fault, FaultOrders
from butler_demo.trello.limits import Meter
from butler_demo.trello.operations import BATCH, OPERATIONS
from butler_demo.trello.state import State

CALLS_KEPT = 20_000
_MOST_IN_BATCH = 10
_GARBLED = b'{"id": "5ca1ab1e'


@dataclass(frozen=True)
class Request:
    """What a client asks. `path` is without the version; `parameters` are those of the address and of the body."""

    method: str
    path: str
    parameters: Mapping[str, object]
    authorization: str = ""


@dataclass(frozen=True)
class Reply:
    """What the client gets, after a while; `dropped` instead of an answer closes the connection."""

    status: int = 200
    body: bytes = b""
    content_type: str = "application/json; charset=utf-8"
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    delay_s: float = 0.0
    dropped: bool = False


class Dispatcher:
    """Answers requests. `validate=False` skips the check of the own answers, for benchmarks."""

    def __init__(
        self,
        state: State,
        office: TokenOffice,
        faults: FaultOrders,
        meter: Meter,
        now: Callable[[], datetime],
        *,
        validate: bool,
    ) -> None:
        self.calls: deque[CallRecord] = deque(maxlen=CALLS_KEPT)
        self._state = state
        self._editor = Editor(state)
        self._office = office
        self._faults = faults
        self._meter = meter
        self._now = now
        self._validate = validate
        self._description = published_description()

    def answer(self, request: Request) -> Reply:
        """Answer one request."""
        headers: dict[str, str] = {}
        try:
            access = self._office.access(request.parameters, request.authorization)
            self._meter.charge(access.key, access.token, request.path, self._now())
            headers = self._meter.headers(access.key, access.token, self._now())
            return self._answer(request, access, headers)
        except TrelloError as error:
            return Reply(error.status, error.body(), error.content_type, {**headers, **error.headers})

    def _answer(self, request: Request, access: Access, headers: Mapping[str, str]) -> Reply:
        matched = self._description.match(request.method, request.path)
        if matched is None:
            raise TrelloError(404, f"Cannot {request.method} /1{request.path}")
        operation_id = matched[0].id
        fault = self._faults.take(operation_id) or Fault()
        if fault.drops and not fault.after_effect:
            return Reply(dropped=True, delay_s=fault.delay_s)
        if fault.status and not fault.after_effect:
            raise fault.error()
        if math.isinf(fault.delay_s) and not fault.after_effect:
            return Reply(delay_s=fault.delay_s)
        value = self._batch(request, access) if operation_id == BATCH else self._perform(request, access)
        body = _GARBLED if fault.garbled else json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        if fault.status:
            error = fault.error()
            return Reply(error.status, error.body(), error.content_type, {**headers, **error.headers})
        return Reply(body=body, headers=headers, delay_s=fault.delay_s, dropped=fault.drops)

    def _perform(self, request: Request, access: Access) -> object:
        matched = self._description.match(request.method, request.path)
        if matched is None or matched[0].id not in OPERATIONS:
            raise not_in_stand_in(f"{request.method} {request.path}")
        operation, named = matched
        path = operation.path_values(named)
        parameters = operation.read(request.parameters)
        if operation.http_method != "GET" and not access.may_write:
            raise unauthorized()
        self.calls.append(CallRecord(operation.id, path, parameters, self._now()))
        value = OPERATIONS[operation.id](Call(self._state, self._editor, access.member_id, path, parameters))
        problem = operation.check_answer(value) if self._validate else None
        if problem is not None:
            raise TrelloError(500, f"the stand-in's own answer to {operation.id} is against the description: {problem}")
        return value

    def _batch(self, request: Request, access: Access) -> list[object]:
        """Up to ten reads; each has an answer under its status, or an error."""
        urls = [url for url in str(request.parameters.get("urls", "")).split(",") if url]
        if not 0 < len(urls) <= _MOST_IN_BATCH or not all(url.startswith("/") for url in urls):
            raise invalid_value("urls")
        self.calls.append(CallRecord(BATCH, {}, {"urls": tuple(urls)}, self._now()))
        return [self._part(url, access) for url in urls]

    def _part(self, url: str, access: Access) -> object:
        parts = urlsplit(url)
        try:
            part = Request("GET", parts.path, dict(parse_qsl(parts.query, keep_blank_values=True)))
            return {"200": self._perform(part, access)}
        except TrelloError as error:
            return {"name": error.code or "Error", "message": error.message, "statusCode": error.status}
