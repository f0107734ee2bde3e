"""From a request to an answer: match, authenticate, check, charge, perform, check the answer."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from butler_demo.faults import FaultOrders
from butler_demo.gmail.oauth import AccessToken, Authority
from butler_demo.google.batch import BatchPart, read_batch, write_batch
from butler_demo.google.call import Answer, Call, CallRecord, Download, Json
from butler_demo.google.description import Operation, Parameters
from butler_demo.google.errors import (
    GoogleError,
    bad_request,
    insufficient_scopes,
    invalid_credentials,
    not_found,
    not_in_stand_in,
)
from butler_demo.google.faults import Fault
from butler_demo.google.quota import Meter
from butler_demo.google.selection import Mask, read_mask, select
from butler_demo.google.service import Service
from butler_demo.google.wire import ApiReply, ApiRequest, ConnectionDropError
from butler_demo.schemas import SchemaError

_JSON = "application/json; charset=UTF-8"
_OWN_OF_DOOR = frozenset({"fields", "alt"})


@dataclass(frozen=True)
class _Target:
    """The operation that a request means, with its checked parameters."""

    operation: Operation
    parameters: Parameters
    downloads: bool
    mask: Mask


class Dispatcher:
    """Answers one API's requests; the token endpoint is not among them."""

    def __init__(
        self,
        service: Service,
        authority: Authority,
        faults: FaultOrders[Fault],
        meter: Meter,
        now: Callable[[], datetime],
    ) -> None:
        """`now` returns the aware time of the stand-in's clock."""
        self.calls: list[CallRecord] = []
        self.latency_s = 0.0
        self._service = service
        self._authority = authority
        self._faults = faults
        self._meter = meter
        self._now = now

    async def answer(self, request: ApiRequest) -> ApiReply:
        """Answer one request, which may be a batch. Raises ConnectionDropError."""
        try:
            if request.method == "POST" and (request.path == "/batch" or request.path.startswith("/batch/")):
                parts = read_batch(request)
                return write_batch(parts, await asyncio.gather(*map(self._answer_part, parts)))
            return await self._answer_one(request)
        except GoogleError as error:
            return self.refusal(error)

    def refusal(self, error: GoogleError) -> ApiReply:
        """Return an error as the service words it."""
        body = json.dumps(error.body(names_status=self._service.names_status)).encode()
        return ApiReply(error.status, body, _JSON, error.headers)

    async def _answer_part(self, part: BatchPart) -> ApiReply:
        try:
            return await self._answer_one(part.request)
        except GoogleError as error:
            return self.refusal(error)

    async def _answer_one(self, request: ApiRequest) -> ApiReply:
        match = self._service.description.match(request.method, request.path)
        if match is None or match[0].id not in self._service.operations:
            raise not_found()
        access = self._authenticate(request, match[0])
        return await self._perform(access, self._target(request, *match), request)

    def _authenticate(self, request: ApiRequest, operation: Operation) -> AccessToken:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        access = self._authority.check(token, self._now()) if scheme == "Bearer" else None
        if access is None:
            raise invalid_credentials()
        if access.scopes.isdisjoint(operation.scopes):
            raise insufficient_scopes(self._service.host, operation.id)
        return access

    def _target(self, request: ApiRequest, operation: Operation, path: Mapping[str, str]) -> _Target:
        alt = request.first("alt") or "json"
        if alt not in ("json", "media") or request.first("callback"):
            raise not_in_stand_in("other answers than JSON and content")
        if alt == "media" and not operation.downloads:
            raise bad_request("Media download is not supported by this method")
        common = self._service.description.common_parameters | _OWN_OF_DOOR
        own = {name: values for name, values in request.query.items() if name not in common or name in path}
        try:
            parameters = operation.read_parameters(path, own)
        except SchemaError as error:
            raise bad_request(f"Invalid JSON payload received. {error}") from error
        if unheeded := sorted(own.keys() - self._service.operations[operation.id].takes):
            raise not_in_stand_in(f"the parameter {unheeded[0]} of {operation.id}")
        return _Target(operation, parameters, alt == "media", self._mask(operation, request.first("fields")))

    def _mask(self, operation: Operation, fields: str) -> Mask:
        if not fields or operation.response is None:
            return {}
        return read_mask(fields, self._service.description.schemas, operation.response)

    async def _perform(self, access: AccessToken, target: _Target, request: ApiRequest) -> ApiReply:
        operation = target.operation
        body = self._body(operation, request)
        self.calls.append(CallRecord(operation.id, target.parameters, access.address, body))
        self._meter.charge(access.address, f"{operation.id}:media" if target.downloads else operation.id, self._now())
        await asyncio.sleep(self.latency_s)
        fault = self._faults.take(operation.id)
        if fault and fault.drops:
            raise ConnectionDropError
        if fault and not fault.after_effect:
            raise fault.error()
        call = Call(
            operation=operation,
            parameters=target.parameters,
            body=body,
            downloads=target.downloads,
            address=access.address,
            now=self._now(),
            headers=request.headers,
            root=request.root,
            selected=frozenset(target.mask),
        )
        answer = await self._service.operations[operation.id].perform(self._service.context(call))
        if fault:
            raise ConnectionDropError
        return self._reply(target, answer)

    def _body(self, operation: Operation, request: ApiRequest) -> Json:
        text = b"" if operation.http_method == "GET" else request.body
        try:
            body: Any = json.loads(text) if text.strip() else {}
        except ValueError as error:
            raise bad_request(f"Invalid JSON payload received. {error}") from error
        if operation.request is None:
            if body:
                raise bad_request("This method takes no request body.")
            return {}
        try:
            self._service.description.schemas.validate(operation.request, body)
        except SchemaError as error:
            raise bad_request(f"Invalid JSON payload received. {error}") from error
        return cast("Json", body)

    def _reply(self, target: _Target, answer: Answer) -> ApiReply:
        if isinstance(answer, Download):
            return ApiReply(answer.status, answer.data, answer.type, answer.headers)
        if target.operation.response is None:
            return ApiReply(204)
        self._service.description.schemas.validate(target.operation.response, answer)
        headers = {"ETag": answer["etag"]} if answer and "etag" in answer else {}
        return ApiReply(200, json.dumps(select(answer, target.mask)).encode(), _JSON, headers)
