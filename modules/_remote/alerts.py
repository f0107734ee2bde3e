"""Receives alerts from Alertmanager and Grafana: each alert becomes one event per state."""

import json
from collections.abc import Callable
from typing import Annotated, Any, Literal, cast
from uuid import uuid4

from pydantic import BeforeValidator, Field, ValidationError

from butler.contract.errors import Refuse
from butler.contract.events import MOST_TEXT, Event, EventName
from butler.contract.hooks import AdmittedRequest, HookRefusedError, HookRequest, StoredHook
from butler.contract.names import Identity
from butler.contract.polled import EventStore
from butler.contract.provenance import Origin, SourceKind, SourceName, Trust
from butler.contract.records import Record
from modules._remote.hook_signs import BAD_REQUEST, digest

LARGEST = 1024 * 1024
PER_MINUTE = 120
MOST_ALERTS = 500
MOST_NAME = 200
Check = Callable[[HookRequest], None]
"""Raises `HookRefusedError` if the sender cannot be authenticated."""


def _texts(value: Any) -> Any:
    """Return the labels as texts; Grafana sends null for some values."""
    if not isinstance(value, dict):
        return value
    return {key: "" if text is None else text for key, text in cast("dict[str, Any]", value).items()}


Texts = Annotated[dict[str, str], BeforeValidator(_texts), Field(max_length=200)]


class Alert(Record):
    """One alert; other fields are ignored."""

    status: Literal["firing", "resolved"]
    labels: Texts = Field(default_factory=dict[str, str])
    annotations: Texts = Field(default_factory=dict[str, str])
    starts_at: str = Field(default="", alias="startsAt", max_length=64)
    fingerprint: str = Field(default="", max_length=64)

    @property
    def own_id(self) -> str:
        """Return an id that is the same in each state: the fingerprint, or else a digest of the labels."""
        return self.fingerprint or digest(json.dumps(self.labels, sort_keys=True).encode())[:16]


class Notification(Record):
    """A notification about a group of alerts."""

    alerts: list[Alert] = Field(max_length=MOST_ALERTS)
    group_key: str = Field(default="", alias="groupKey")


class AlertReceiver:
    """One endpoint. Implements `HookReceiver`."""

    methods = frozenset({"POST", "PUT"})
    largest = LARGEST
    per_minute = PER_MINUTE

    def __init__(self, name: str, check: Check, event_store: EventStore) -> None:
        self.name = name
        self._check, self._event_store = check, event_store

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        """Refuse a delivery that is not from the sender, or not a group of alerts."""
        self._check(request)
        if _read(request.body) is None:
            raise HookRefusedError(BAD_REQUEST, "this is no notification of alerts")
        # A firing group is sent again and again; an identical body is nothing new.
        return AdmittedRequest(key=digest(request.body))

    async def act(self, hook: StoredHook) -> None:
        """Publish an event for each alert."""
        if (notification := _read(hook.body)) is None:
            raise Refuse("this is no notification of alerts")
        group = digest(notification.group_key.encode("utf-8", "replace"))[:16]
        again = f":{hook.hook_id}:{hook.replay}" if hook.replay else ""
        for alert in notification.alerts:
            event = self._event(alert, group, hook)
            key = f"alert:{self.name}:{alert.own_id}:{alert.status}:{alert.starts_at}{again}"
            await self._event_store.tell(event, key)

    def _event(self, alert: Alert, group: str, hook: StoredHook) -> Event:
        labels, notes = alert.labels, alert.annotations
        summary = notes.get("summary") or notes.get("description") or notes.get("message") or ""
        return Event(
            event_id=uuid4().hex,
            name=EventName.ALERT_FIRED,
            channel=self.name,
            identity=Identity.BOT,
            account="",
            at=hook.received_at,
            facts={
                "source": self.name,
                "name": clean(labels.get("alertname", ""), MOST_NAME),
                "state": alert.status,
                "severity": clean(labels.get("severity", ""), MOST_NAME),
                "instance": clean(labels.get("instance", ""), MOST_NAME),
                "summary": clean(summary, MOST_TEXT),
            },
            origin=Origin(
                trust=Trust.UNTRUSTED,
                source=f"hook:{hook.hook_id}",
                shown_as=SourceName(kind=SourceKind.ALERT, name=self.name),
            ),
            subject="/".join((self.name, group, clean(alert.own_id, 64), clean(alert.starts_at, 64))),
        )


def clean(text: str, most: int) -> str:
    """Return the text on one line, without invisible characters, cut to `most` characters."""
    line = " ".join("".join(letter if letter.isprintable() else " " for letter in text).split())
    return line if len(line) <= most else f"{line[: most - 1]}…"


def _read(body: bytes) -> Notification | None:
    try:
        return Notification.model_validate(json.loads(body))
    except (ValueError, RecursionError, ValidationError):
        return None
