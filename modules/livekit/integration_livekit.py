"""A LiveKit server as a remote adapter: opens rooms, and creates links that expire."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, ClassVar

from butler.contract.adapters import Operation, RemoteIntegration
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.integration import Idempotency, IntegrationCall, Method, RawAnswer, auth_answer, method
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from modules.livekit import naming
from modules.livekit import records as r
from modules.livekit.client import Guest, LiveKitClient, unreadable, until
from modules.livekit.config import LiveKitSettings

if TYPE_CHECKING:
    from livekit.protocol.models import Room

_NO_ROOM = "butler-asks-whether-its-key-is-good"

CREATES, LISTS = "roomCreate", "roomList"
"""The grants in the tokens that LiveKit's client uses."""


class LiveKitIntegration(RemoteIntegration):
    """One server."""

    provider = "livekit"
    adapter_id = "livekit"
    adapter_description = "Rooms for audio and video calls on a LiveKit server, and links that let people in."
    operations: ClassVar[Mapping[str, Operation]] = {
        "create_room": Operation(r.CREATE_ROOM, "Open a room; one of this name that is open already is it."),
        "join_room": Operation(r.JOIN_ROOM, "Make a link that lets one person into an open room until it expires."),
    }

    def __init__(self, settings: LiveKitSettings, context: ModuleContext) -> None:
        self._settings = settings
        self._clock = context.clock
        self._client = LiveKitClient(settings, context.vault)
        super().__init__(context.probe)

    def methods(self) -> list[Method]:
        state, read = Idempotency.STATE, Idempotency.READ
        create, look = (CREATES,), (LISTS,)
        return [
            method(
                r.CREATE_ROOM,
                args=r.CreateRoomArgs,
                answer=r.Room,
                run=self._raw_create,
                idempotency=state,
                auth_scopes=create,
            ),
            method(
                r.JOIN_ROOM,
                args=r.JoinRoomArgs,
                answer=r.JoinLink,
                run=self._raw_join,
                idempotency=state,
                auth_scopes=look,
            ),
            method(
                r.LIST_ROOMS,
                args=r.ListRoomsArgs,
                answer=r.Rooms,
                run=self._raw_list,
                idempotency=read,
                auth_scopes=look,
            ),
        ]

    async def auth_status(self) -> dict[str, Any]:
        error = (await self.request("auth", r.LIST_ROOMS, {"names": [_NO_ROOM]})).error
        wrong_key = error is not None and error.code is IntegrationErrorCode.AUTH_REQUIRED
        variables = f"{self._settings.key_env} and {self._settings.secret_env}"
        todo = f"put the server's API key and secret into {variables}" if wrong_key else "see whether the server runs"
        return auth_answer(error, self._client.host, todo=f"{todo} (docs/how-to/connect-livekit.md)")

    def name_for(self, words: str, call_id: str, otherwise: str) -> str:
        """Return a readable name at the server, the same each time for one call."""
        return f"{naming.readable(words, otherwise)}-{naming.unguessable(self._client.secret, call_id)}"

    async def stop(self) -> None:
        """Close the connections."""
        await self._client.close()

    async def _raw_create(self, _call: IntegrationCall, args: r.CreateRoomArgs) -> RawAnswer:
        room = await self._client.create(args)
        if room.name != args.name:
            raise unreadable()
        return RawAnswer(_room(room))

    async def _raw_join(self, _call: IntegrationCall, args: r.JoinRoomArgs) -> RawAnswer:
        try:
            found = await self._client.rooms((args.room,))
        except IntegrationFault as fault:
            fault.effect = Effect.NONE  # the room was only looked up
            raise
        if all(room.name != args.room for room in found):
            text = say("there is no open room {room} on the server; open one first", room=args.room)
            raise IntegrationFault(IntegrationErrorCode.NOT_FOUND, text)
        now = self._clock.now()
        identity = args.identity or self.name_for(args.name, f"{args.room} {now.isoformat()}", "guest")
        guest, expires_at = Guest(identity, args.name, args.listen_only), until(now, args.minutes)
        return RawAnswer(
            {
                "room": args.room,
                "identity": identity,
                "name": args.name,
                "link": self._client.link(args.room, guest, now, expires_at),
                "expires_at": expires_at,
            }
        )

    async def _raw_list(self, _call: IntegrationCall, args: r.ListRoomsArgs) -> RawAnswer:
        return RawAnswer({"rooms": [_room(room) for room in await self._client.rooms(args.names)]})


def _room(room: "Room") -> dict[str, Any]:
    if not (room.sid and room.name):
        raise unreadable()
    return {
        "room": room.name,
        "sid": room.sid,
        "created_at": datetime.fromtimestamp(room.creation_time, UTC),
        "empty_timeout_s": room.empty_timeout,
        "max_participants": room.max_participants,
    }
