"""One endpoint: authenticates senders, recognises duplicate deliveries, and builds the event."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl
from uuid import uuid4

from butler.contract.events import MOST_TEXT, Event, EventName
from butler.contract.hooks import TELL, AdmittedRequest, HookRefusedError, HookRequest, StoredHook
from butler.contract.module import ModuleContext
from butler.contract.names import Identity
from butler.contract.provenance import Origin, SourceKind, SourceName, Trust
from modules._remote.hook_signs import (
    BAD_REQUEST,
    UNAUTHORIZED,
    check_age,
    check_signature,
    digest,
    same,
    secret_of,
    signature,
)
from modules.hooks.config import Endpoint
from modules.hooks.template import at, template

SAME_BODY = timedelta(hours=1)
"""How long an identical body counts as a repeated delivery, if the sender gives no id."""
MOST_FIELDS, MOST_SIGNATURES, LONGEST_ID = 500, 5, 300
FORM, JSON = "application/x-www-form-urlencoded", "application/json"


class EndpointReceiver:
    """Implements `HookReceiver`."""

    methods = frozenset({"POST", "PUT"})

    def __init__(self, endpoint: Endpoint, context: ModuleContext) -> None:
        self.name, self.largest, self.per_minute = endpoint.name, endpoint.largest, endpoint.per_minute
        self._endpoint, self._context = endpoint, context
        self._template = template(endpoint.template) if endpoint.template else None

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        self._check(request)
        kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        named = bool(self._endpoint.id or self._endpoint.id_header)
        return AdmittedRequest(
            key=self._key(request, kind) if named else digest(request.body),
            within=None if named else SAME_BODY,
            signed=self._signed(request),
            headers={"content-type": kind[:100]},
        )

    async def act(self, hook: StoredHook) -> None:
        data, endpoint = _read(hook.body, hook.headers.get("content-type", "")), self._endpoint
        text = self._template.fill(data, MOST_TEXT) if self._template else _whole(data)
        event = Event(
            event_id=uuid4().hex,
            name=EventName.HOOK_RECEIVED,
            channel="hooks",
            identity=Identity.BOT,
            account="",
            at=hook.received_at,
            facts={"endpoint": self.name, "text": text},
            origin=Origin(
                trust=Trust.UNTRUSTED,
                source=f"hook:{hook.hook_id}",
                shown_as=SourceName(kind=SourceKind.WEBHOOK, name=self.name),
            ),
            subject=f"{hook.hook_id}{TELL}" if endpoint.tell else hook.hook_id,
        )
        await self._context.event_store.tell(event, f"hook:{hook.hook_id}:{hook.replay}")

    def _check(self, request: HookRequest) -> None:
        endpoint, secret = self._endpoint, secret_of(self._context.vault, self._endpoint.secret_env)
        text = request.headers.get(endpoint.header.lower(), "")
        if endpoint.fields:
            self._check_fields(text, secret, request)
            return
        if not text.startswith(endpoint.prefix):
            raise HookRefusedError(UNAUTHORIZED, f"{endpoint.header} does not begin with the prefix of the settings")
        text = text.removeprefix(endpoint.prefix)
        if endpoint.algorithm == "plain":
            check_signature(text, secret, endpoint.header)
            return
        time = self._time(request)
        if endpoint.timestamp_header:
            check_age(time, endpoint.timestamp_header, request.received_at, endpoint.tolerance_s)
        check_signature(text, self._right(secret, time, request.body), endpoint.header)

    def _check_fields(self, said: str, secret: str, request: HookRequest) -> None:
        header = self._endpoint.header
        time = self._time(request)
        check_age(time, header, request.received_at, self._endpoint.tolerance_s)
        right = self._right(secret, time, request.body)
        signatures = [value for name, value in _pairs(said) if name.startswith("v1")][:MOST_SIGNATURES]
        if not any([same(one, right) for one in signatures]):  # noqa: C419 - each is compared, whichever is right
            raise HookRefusedError(UNAUTHORIZED, f"no signature in {header} is right; look at the secret on both sides")

    def _right(self, secret: str, time: str, body: bytes) -> str:
        endpoint = self._endpoint
        signed = endpoint.signed or ("{timestamp}.{body}" if time else "{body}")
        before, _, after = signed.replace("{timestamp}", time).partition("{body}")
        message = before.encode() + body + after.encode()
        return signature(secret, message, endpoint.algorithm, endpoint.encoding)

    def _time(self, request: HookRequest) -> str:
        """Return the signed time of sending; empty if there is none."""
        endpoint = self._endpoint
        if endpoint.fields:
            pairs = _pairs(request.headers.get(endpoint.header.lower(), ""))
            return next((value for name, value in pairs if name == "t"), "")
        return request.headers.get(endpoint.timestamp_header.lower(), "") if endpoint.timestamp_header else ""

    def _signed(self, request: HookRequest) -> str:
        """Return a key of the signed content where the id is unsigned: a replayed delivery could carry another id."""
        if not self._endpoint.id_header or self._endpoint.algorithm == "plain":
            return ""
        return digest(self._time(request).encode(), request.body)

    def _key(self, request: HookRequest, kind: str) -> str:
        endpoint = self._endpoint
        if endpoint.id_header:
            key = request.headers.get(endpoint.id_header.lower(), "")
        else:
            found = at(_read(request.body, kind), endpoint.id)
            key = str(found) if isinstance(found, str | int) and not isinstance(found, bool) else ""
        if not key or len(key) > LONGEST_ID or not key.isprintable():
            raise HookRefusedError(BAD_REQUEST, f"there is no id at {endpoint.id_header or endpoint.id}")
        return f"id:{key}"


def _pairs(said: str) -> list[tuple[str, str]]:
    return [(name.strip(), value.strip()) for name, _, value in (one.partition("=") for one in said.split(","))]


def _read(body: bytes, kind: str) -> Any:
    """Parse the body: JSON, the fields of a form, or else its text under `text`."""
    text = body.decode("utf-8", "replace")
    if kind == FORM:
        try:
            return dict(parse_qsl(text, keep_blank_values=True, max_num_fields=MOST_FIELDS))
        except ValueError:
            return {"text": text}
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {"text": text}


def _whole(data: Any) -> str:
    return template("{all}").fill({"all": data}, MOST_TEXT)
