"""From an HTTP request to an answer: match, authenticate, check, perform, check the answer."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast
from urllib.parse import parse_qs

from aiohttp import web

from butler.demo.gmail.call_context import CallContext, Json
from butler.demo.gmail.description import Description, Operation, Parameters
from butler.demo.gmail.faults import FaultOrders
from butler.demo.gmail.google_errors import (
    GoogleError,
    bad_request,
    insufficient_scopes,
    invalid_credentials,
    not_found,
    not_in_stand_in,
)
from butler.demo.gmail.mime import encode_bytes
from butler.demo.gmail.oauth import AccessToken, Authority
from butler.demo.gmail.operations import OPERATIONS
from butler.demo.gmail.post_office import PostOffice
from butler.demo.gmail.records import Call
from butler.demo.gmail.schema import SchemaError
from butler.demo.gmail.uploads import ResumableUpload, ResumableUploads, Upload, check_media_type, read_upload


class ConnectionDropError(Exception):
    """By order the client is to see its connection close instead of an answer."""


@dataclass(frozen=True)
class _Target:
    """The operation that a request means, with its unchecked parameters."""

    operation: Operation
    path: dict[str, str]
    query: dict[str, list[str]]
    is_upload: bool


class Dispatcher:
    """Answers the API's requests; the token endpoint is not among them."""

    def __init__(
        self,
        description: Description,
        authority: Authority,
        post_office: PostOffice,
        faults: FaultOrders,
        now: Callable[[], datetime],
    ) -> None:
        """`now` returns the aware time of the stand-in's clock."""
        self.calls: list[Call] = []
        self._description = description
        self._authority = authority
        self._post_office = post_office
        self._faults = faults
        self._now = now
        self._uploads = ResumableUploads()

    async def answer(self, request: web.Request) -> web.Response:
        """Answer one request. Raises GoogleError and ConnectionDropError."""
        if upload_id := request.query.get("upload_id"):
            return await self._continue_upload(request, upload_id)
        target = await self._target(request)
        access = self._authenticate(request, target.operation)
        parameters = self._parameters(target)
        upload_type = request.query.get("uploadType", "")
        body = await request.read()
        if not target.is_upload:
            text = b"" if target.operation.http_method == "GET" else body
            return await self._perform(access, target.operation, parameters, Upload(text, b""))
        if upload_type == "resumable":
            check_media_type(request.headers.get("X-Upload-Content-Type", "message/rfc822"))
            upload = ResumableUpload(target.operation, parameters, body)
            location = request.url.update_query(upload_id=self._uploads.begin(upload))
            return web.Response(headers={"Location": str(location)})
        upload = read_upload(upload_type, request.headers.get("Content-Type", ""), body)
        return await self._perform(access, target.operation, parameters, upload)

    async def _continue_upload(self, request: web.Request, upload_id: str) -> web.Response:
        upload = self._uploads.get(upload_id)
        access = self._authenticate(request, upload.operation)
        if not upload.take(request.headers.get("Content-Range", ""), await request.read()):
            so_far = {"Range": f"bytes=0-{len(upload.received) - 1}"} if upload.received else {}
            return web.Response(status=308, headers=so_far)
        finished = self._uploads.finish(upload_id)
        return await self._perform(access, upload.operation, upload.parameters, finished)

    async def _target(self, request: web.Request) -> _Target:
        method = request.method
        query = {key: request.query.getall(key) for key in request.query}
        if override := request.headers.get("X-HTTP-Method-Override"):  # the client's way out of long URIs
            method, query = override, parse_qs((await request.read()).decode(), keep_blank_values=True)
        match = self._description.match(method, request.path)
        if match is None:
            raise not_found()
        operation, path, is_upload = match
        return _Target(operation, path, query, is_upload)

    def _authenticate(self, request: web.Request, operation: Operation) -> AccessToken:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        access = self._authority.check(token, self._now()) if scheme == "Bearer" else None
        if access is None:
            raise invalid_credentials()
        if access.scopes.isdisjoint(operation.scopes):
            raise insufficient_scopes()
        return access

    def _parameters(self, target: _Target) -> Parameters:
        for name in ("fields", "callback"):
            if target.query.get(name):
                raise not_in_stand_in(f"the parameter {name}")
        if target.query.get("alt", ["json"]) != ["json"]:
            raise not_in_stand_in("other answers than JSON")
        common = self._description.common_parameters
        own = {name: values for name, values in target.query.items() if name not in common}
        try:
            return target.operation.read_parameters(target.path, own)
        except SchemaError as error:
            raise bad_request(f"Invalid JSON payload received. {error}") from error

    async def _perform(
        self, access: AccessToken, operation: Operation, parameters: Parameters, upload: Upload
    ) -> web.Response:
        self.calls.append(Call(operation.id, parameters))
        fault = self._faults.take(operation.id)
        if fault and not fault.after_effect:
            raise fault.error()
        if parameters["userId"] not in ("me", access.address):
            raise GoogleError(403, "forbidden", f"Delegation denied for {access.address}")
        handler = OPERATIONS.get(operation.id)
        if handler is None:
            raise not_in_stand_in(operation.id)
        call = CallContext(
            operation=operation,
            parameters=parameters,
            body=self._body(operation, upload),
            mailbox=self._post_office.mailbox(access.address),
            post_office=self._post_office,
            scopes=access.scopes,
            now=self._now(),
        )
        answer = await handler(call)
        if fault:
            raise ConnectionDropError
        return self._response(operation, answer)

    def _body(self, operation: Operation, upload: Upload) -> Json:
        try:
            body: Any = json.loads(upload.metadata) if upload.metadata.strip() else {}
        except ValueError as error:
            raise bad_request(f"Invalid JSON payload received. {error}") from error
        if operation.request is None:
            if body:
                raise bad_request("This method takes no request body.")
            return {}
        try:
            self._description.schemas.validate(operation.request, body)
        except SchemaError as error:
            raise bad_request(f"Invalid JSON payload received. {error}") from error
        checked = cast("Json", body)
        if upload.media:
            raw = {"raw": encode_bytes(upload.media)}
            if operation.request == "Draft":
                checked["message"] = (checked.get("message") or {}) | raw
            else:
                checked |= raw
        return checked

    def _response(self, operation: Operation, answer: Json | None) -> web.Response:
        if operation.response is None:
            return web.Response(status=204)
        self._description.schemas.validate(operation.response, answer)
        return web.json_response(answer)
