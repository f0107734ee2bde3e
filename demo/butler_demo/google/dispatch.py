"""From a request to an answer: match, authenticate, check, charge, perform, check the answer."""

import asyncio
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Protocol, cast
from urllib.parse import parse_qs, urlencode

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
from butler_demo.google.faults import FaultOrders
from butler_demo.google.quota import Meter
from butler_demo.google.schema import Mask, SchemaError
from butler_demo.google.selection import read_mask, select
from butler_demo.google.service import Service
from butler_demo.google.uploads import ResumableUpload, ResumableUploads, Upload, check_media_type, read_upload
from butler_demo.google.wire import ApiReply, ApiRequest, ConnectionDropError, with_query

_JSON = "application/json; charset=UTF-8"
_OWN_OF_DOOR = frozenset({"fields", "alt"})


class Access(Protocol):
    """What a valid token stands for."""

    @property
    def address(self) -> str: ...
    @property
    def scopes(self) -> frozenset[str]: ...


class Tokens(Protocol):
    """Where tokens are checked."""

    def check(self, token: str, now: datetime) -> Access | None:
        """Return what the token stands for, None if it is not valid now."""
        ...


@dataclass(frozen=True)
class _Target:
    """The operation that a request means, with its checked parameters."""

    operation: Operation
    parameters: Parameters
    is_upload: bool
    downloads: bool
    mask: Mask


class Dispatcher:
    """Answers one API's requests; the token endpoint is not among them."""

    def __init__(
        self, service: Service, tokens: Tokens, faults: FaultOrders, meter: Meter, now: Callable[[], datetime]
    ) -> None:
        """`now` returns the aware time of the stand-in's clock."""
        self.calls: list[CallRecord] = []
        self.latency_s = 0.0
        self._service = service
        self._tokens = tokens
        self._faults = faults
        self._meter = meter
        self._now = now
        self._uploads = ResumableUploads()

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
        if error.status == 304:
            return ApiReply(304, headers=error.headers)
        body = json.dumps(error.body(names_status=self._service.names_status)).encode()
        return ApiReply(error.status, body, _JSON, error.headers)

    async def _answer_part(self, part: BatchPart) -> ApiReply:
        try:
            return await self._answer_one(part.request)
        except GoogleError as error:
            return self.refusal(error)

    async def _answer_one(self, request: ApiRequest) -> ApiReply:
        if upload_id := request.first("upload_id"):
            return await self._continue_upload(request, upload_id)
        if override := request.headers.get("X-HTTP-Method-Override"):  # the client's way out of long addresses
            request = with_query(request, override, parse_qs(request.body.decode(), keep_blank_values=True))
        match = self._service.description.match(request.method, request.path)
        if match is None:
            raise not_found()
        operation, path, is_upload = match
        access = self._authenticate(request, operation)
        target = self._target(request, operation, path, is_upload=is_upload)
        upload_type = request.first("uploadType")
        if not is_upload:
            text = b"" if operation.http_method == "GET" else request.body
            return await self._perform(access, target, Upload(text, None), request)
        if upload_type == "resumable":
            return self._begin_upload(request, target)
        upload = read_upload(operation, upload_type, request.headers.get("Content-Type", ""), request.body)
        return await self._perform(access, target, upload, request)

    def _begin_upload(self, request: ApiRequest, target: _Target) -> ApiReply:
        kind = request.headers.get("X-Upload-Content-Type", "") or target.operation.accepts[0].replace("*", "rfc822")
        check_media_type(target.operation, kind)
        self._body(target.operation, Upload(request.body, None))
        upload_id = self._uploads.begin(ResumableUpload(target.operation, target.parameters, request.body, kind))
        query = [(name, value) for name, values in request.query.items() for value in values]
        address = f"{request.root.rstrip('/')}{request.path}?{urlencode([*query, ('upload_id', upload_id)])}"
        return ApiReply(headers={"Location": address, "X-GUploader-UploadID": upload_id})

    async def _continue_upload(self, request: ApiRequest, upload_id: str) -> ApiReply:
        upload = self._uploads.get(upload_id)
        access = self._authenticate(request, upload.operation)
        if not upload.take(request.headers.get("Content-Range", ""), request.body):
            so_far = {"Range": f"bytes=0-{len(upload.received) - 1}"} if upload.received else {}
            return ApiReply(308, headers=so_far)
        target = _Target(
            upload.operation, upload.parameters, True, False, self._mask(upload.operation, request.first("fields"))
        )
        return await self._perform(access, target, self._uploads.finish(upload_id), request)

    def _authenticate(self, request: ApiRequest, operation: Operation) -> Access:
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        access = self._tokens.check(token, self._now()) if scheme == "Bearer" else None
        if access is None:
            raise invalid_credentials()
        if access.scopes.isdisjoint(operation.scopes):
            raise insufficient_scopes(self._service.host, operation.id)
        return access

    def _target(
        self, request: ApiRequest, operation: Operation, path: Mapping[str, str], *, is_upload: bool
    ) -> _Target:
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
        mask = self._mask(operation, request.first("fields"))
        return _Target(operation, parameters, is_upload, alt == "media", mask)

    def _mask(self, operation: Operation, fields: str) -> Mask:
        if not fields or operation.response is None:
            return {}
        return read_mask(fields, self._service.description.schemas, operation.response)

    async def _perform(self, access: Access, target: _Target, upload: Upload, request: ApiRequest) -> ApiReply:
        operation = target.operation
        body = self._body(operation, upload)
        self.calls.append(CallRecord(operation.id, target.parameters, access.address, body))
        self._meter.charge(access.address, f"{operation.id}:media" if target.downloads else operation.id, self._now())
        with self._meter.slot(access.address):
            await asyncio.sleep(self.latency_s)
            fault = self._faults.take(operation.id)
            if fault and fault.drops:
                raise ConnectionDropError
            if fault and not fault.after_effect:
                raise fault.error()
            if operation.id not in self._service.operations:
                raise not_in_stand_in(operation.id)
            call = Call(
                operation=operation,
                parameters=target.parameters,
                body=body,
                media=upload.media,
                downloads=target.downloads,
                address=access.address,
                scopes=access.scopes,
                now=self._now(),
                headers=request.headers,
                root=request.root,
                selected=frozenset(target.mask),
            )
            answer = await self._service.perform(call)
        if fault:
            raise ConnectionDropError
        return self._reply(target, answer)

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
