"""`/hooks/livekit`: who joined and left a room, as reported by the server, signed with the API secret."""

import json
from uuid import uuid4

from butler.contract.errors import Refuse
from butler.contract.events import Event, EventName
from butler.contract.hooks import AdmittedRequest, HookRefusedError, HookRequest, StoredHook
from butler.contract.module import ModuleContext
from butler.contract.names import Identity
from butler.contract.provenance import Origin, Trust
from butler.contract.speech import phrase
from modules._remote.alerts import clean
from modules._remote.hook_signs import BAD_REQUEST, UNAUTHORIZED, digest, secret_of
from modules.livekit.config import LiveKitSettings

CHANGES = {
    "room_started": "started",
    "room_finished": "ended",
    "participant_joined": "joined",
    "participant_left": "left",
    "participant_connection_aborted": "left",
}
"""Reported events; tracks and recordings are not."""
MOST_NAME = 200


class CallReceiver:
    """Implements `HookReceiver`."""

    name = "livekit"
    methods = frozenset({"POST"})
    largest = 256 * 1024
    per_minute = 600

    def __init__(self, settings: LiveKitSettings, context: ModuleContext) -> None:
        self._settings, self._context = settings, context

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        """Check the call by LiveKit's own rules: a current token of the API secret, with the digest of this body."""
        from livekit.api import TokenVerifier, WebhookReceiver  # noqa: PLC0415 - loaded when it is used

        vault, settings = self._context.vault, self._settings
        key, secret = secret_of(vault, settings.key_env), secret_of(vault, settings.secret_env)
        try:
            body = request.body.decode()
        except UnicodeDecodeError:
            raise HookRefusedError(BAD_REQUEST, "this is no text") from None
        token = request.headers.get("authorization", "").removeprefix("Bearer ")
        try:
            event = WebhookReceiver(TokenVerifier(key, secret)).receive(body, token)
        except Exception as error:  # noqa: BLE001 - it raises bare exceptions, and any of them means no
            raise HookRefusedError(UNAUTHORIZED, f"LiveKit's token does not hold ({type(error).__name__})") from None
        if event.event not in CHANGES:
            return AdmittedRequest(key="", keep=False)
        kept = {
            "event": event.event,
            "room": clean(event.room.name, MOST_NAME),
            "person": clean(event.participant.name or event.participant.identity, MOST_NAME),
        }
        return AdmittedRequest(key=event.id or digest(request.body), body=json.dumps(kept).encode())

    async def act(self, hook: StoredHook) -> None:
        """Publish the event."""
        try:
            kept = json.loads(hook.body)
            facts = {"room": kept["room"], "change": CHANGES[kept["event"]], "person": kept["person"]}
        except (ValueError, KeyError, TypeError):
            raise Refuse("this is no event of a call") from None
        event = Event(
            event_id=uuid4().hex,
            name=EventName.CALL_CHANGED,
            channel="livekit",
            identity=Identity.BOT,
            account="",
            at=hook.received_at,
            facts=facts,
            origin=Origin(trust=Trust.UNTRUSTED, source=f"hook:{hook.hook_id}", shown_as=phrase("your LiveKit server")),
            subject=f"livekit/{facts['room']}",
        )
        await self._context.event_store.tell(event, f"call:{hook.hook_id}:{hook.replay}")
