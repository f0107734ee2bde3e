"""The door for webhooks: `/hooks/<name>` on the web port.

A request is read within limits and passed to its receiver, which admits or refuses it. An admitted request is stored
with the work that acts on it; only then its sender is answered 200. Nothing is acted on here, except that a receiver
may put urgent items into its own intake while it admits a request, as Telegram's does with taps: acting on the row
later finds them handled.
"""

import asyncio
from collections.abc import Mapping
from datetime import datetime
from http import HTTPStatus
from typing import Any

import sqlalchemy as sa
import structlog
from starlette.requests import ClientDisconnect, Request
from starlette.responses import PlainTextResponse, Response

from butler.contract.errors import Retryable
from butler.contract.hooks import AdmittedRequest, HookReceiver, HookRefusedError, HookRequest, StoredHook
from butler.hooks.limits import Limits
from butler.hooks.proxies import Proxies, Sender
from butler.hooks.rejected import Count, RejectedRequests
from butler.services import Services
from butler.store.queries import hooks

log = structlog.get_logger(__name__)

ADMIT_S = 10.0
STORE_S = 8.0
"""Seconds for storing a request: a sender waits about ten, and then sends it again."""
AGAIN_S = 10
NOBODY = "-"


class Answered(Exception):
    """Ends the handling of a request with this status."""

    def __init__(self, status: HTTPStatus, why: str, **headers: str) -> None:
        super().__init__(why)
        self.status, self.why = status, why
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


class Intake:
    """The pages below `/hooks/`."""

    def __init__(
        self,
        services: Services,
        receivers: Mapping[str, HookReceiver],
        turned_away: RejectedRequests,
        count: Count,
        *,
        limits: Limits | None = None,
        body_s: float,
    ) -> None:
        web = services.settings.web
        self._store, self._clock, self._wake = services.store, services.clock, services.wake
        self._receivers, self._turned_away, self._count = receivers, turned_away, count
        self._proxies = Proxies(web.proxies, forwarded=web.proxy_header == "forwarded")
        self._public_url, self._limits, self._body_s = web.public_url.rstrip("/"), limits or Limits(), body_s

    async def take(self, request: Request) -> Response:
        """Handle one request."""
        headers = _headers(request)
        sender = self._proxies.sender(request.client.host if request.client else "", headers, request.url.scheme)
        receiver = self._receivers.get(request.path_params["name"])
        try:
            return await self._through(self._there(receiver, sender), request, headers, sender)
        except Answered as end:
            name = receiver.name if receiver else NOBODY
            await self._noted(name, end, sender)
            # An unread body would be taken for the next request.
            return PlainTextResponse(
                "" if request.method == "HEAD" else HTTPStatus(end.status).phrase,
                status_code=end.status,
                headers={"Connection": "close", **end.headers},
            )

    def _there(self, receiver: HookReceiver | None, sender: Sender) -> HookReceiver:
        """Return the receiver if the sender may call it now; raise `Answered` if not."""
        if receiver is None:
            wait_s = self._limits.unknown_wait_s(sender.address)
        else:
            wait_s = self._limits.wait_s(receiver.name, sender.address, receiver.per_minute)
        if wait_s:
            raise Answered(HTTPStatus.TOO_MANY_REQUESTS, "too many requests", Retry_After=str(wait_s))
        if receiver is None:
            raise Answered(HTTPStatus.NOT_FOUND, "there is no such webhook")
        return receiver

    async def _through(
        self, receiver: HookReceiver, request: Request, headers: Mapping[str, str], sender: Sender
    ) -> Response:
        received_at = self._clock.now()
        try:
            seen = await self._read(receiver, request, headers, sender, received_at)
            admitted = await self._admitted(receiver, seen)
        except Answered:
            self._limits.unproved(receiver.name, sender.address)
            raise
        if admitted.keep:
            self._limits.proved(receiver.name, sender.address)
            new = await self._stored(receiver, admitted, seen.body, sender, received_at)
            if new:
                self._limits.stored(receiver.name)
            outcome = "stored" if new else "known"
        else:
            # A greeting proves nothing.
            self._limits.unproved(receiver.name, sender.address)
            outcome = "greeted"
        self._count(receiver.name, outcome)
        return Response(b"" if request.method == "HEAD" else admitted.answer, media_type="text/plain")

    async def _read(
        self,
        receiver: HookReceiver,
        request: Request,
        headers: Mapping[str, str],
        sender: Sender,
        received_at: datetime,
    ) -> HookRequest:
        if request.method not in receiver.methods:
            allowed = ", ".join(sorted(receiver.methods))
            raise Answered(HTTPStatus.METHOD_NOT_ALLOWED, "another method", Allow=allowed)
        body = await self._body(request, receiver.largest)
        return self._seen(request, headers, sender, body, received_at)

    async def _body(self, request: Request, largest: int) -> bytes:
        text = request.headers.get("content-length", "")
        if text.isdecimal() and int(text) > largest:
            raise Answered(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the body is too large")
        body = bytearray()
        try:
            async with asyncio.timeout(self._body_s):
                async for piece in request.stream():
                    body += piece
                    if len(body) > largest:
                        raise Answered(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, "the body is too large")
        except TimeoutError:
            raise Answered(HTTPStatus.REQUEST_TIMEOUT, "the body came too slowly") from None
        except ClientDisconnect:
            raise Answered(HTTPStatus.BAD_REQUEST, "the body was cut off") from None
        return bytes(body)

    def _seen(
        self, request: Request, headers: Mapping[str, str], sender: Sender, body: bytes, received_at: datetime
    ) -> HookRequest:
        scope: Mapping[str, Any] = request.scope
        raw_path, query = bytes(scope["raw_path"]).decode("latin-1"), bytes(scope["query_string"]).decode("latin-1")
        root = self._public_url or f"{sender.scheme}://{sender.host}"
        return HookRequest(
            method=request.method,
            url=f"{root}{raw_path}{f'?{query}' if query else ''}",
            path=request.path_params.get("rest", ""),
            query=dict(request.query_params),
            headers=headers,
            body=body,
            remote=sender.address,
            received_at=received_at,
        )

    async def _admitted(self, receiver: HookReceiver, seen: HookRequest) -> AdmittedRequest:
        try:
            async with asyncio.timeout(ADMIT_S):
                return await receiver.admit(seen)
        except HookRefusedError as refused:
            raise Answered(HTTPStatus(refused.status), refused.detail) from None
        except (Retryable, TimeoutError) as error:
            raise _later(f"it cannot be checked now: {type(error).__name__}") from None
        except Exception as error:  # the boundary of every receiver: the sender sends the request again
            log.exception("hook_fault", receiver=receiver.name)
            raise Answered(HTTPStatus.INTERNAL_SERVER_ERROR, type(error).__name__) from None

    async def _stored(
        self, receiver: HookReceiver, admitted: AdmittedRequest, body: bytes, sender: Sender, received_at: datetime
    ) -> bool:
        kept = body if admitted.body is None else admitted.body
        hook = StoredHook(hooks.new_id(), receiver.name, admitted.headers, kept, received_at)
        now = self._clock.now()

        def add(connection: sa.Connection) -> bool:
            within, signed = admitted.within, admitted.signed
            return hooks.add(connection, hook, admitted.key, sender.address, now, within=within, signed=signed)

        try:
            async with asyncio.timeout(STORE_S):
                new = await self._store.write(add, "hook")
        except (Retryable, TimeoutError) as error:
            # If the request was stored after all, the next delivery is recognized as known.
            raise _later(f"it cannot be stored now: {type(error).__name__}") from None
        if new:
            self._wake()
        return new

    async def _noted(self, name: str, end: Answered, sender: Sender) -> None:
        try:
            await self._turned_away.note(name, int(end.status), end.why, sender.address)
        except Retryable as error:
            log.warning("hook_refusal_not_told", why=str(error))


def _later(why: str) -> Answered:
    return Answered(HTTPStatus.SERVICE_UNAVAILABLE, why, Retry_After=str(AGAIN_S))


def _headers(request: Request) -> dict[str, str]:
    """Return the headers by name in lower case; join several of one name with commas."""
    headers: dict[str, str] = {}
    for name, value in request.scope["headers"]:
        key, text = name.decode("latin-1"), value.decode("latin-1")
        headers[key] = f"{headers[key]}, {text}" if key in headers else text
    return headers
