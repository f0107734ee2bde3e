"""`bot_livekit_*`: opens rooms for calls on the owner's server, with a link for each guest."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import Field

from butler.contract.adapters import remote_tool
from butler.contract.channel import ChannelInfo, Words
from butler.contract.hooks import HookReceiver
from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.names import ApprovalDefault
from butler.contract.records import ClosedRecord
from butler.contract.rendering import PlanContext, Rendered, StepResult
from butler.contract.speech import phrase, say, say_many
from butler.contract.tools import (
    Preview,
    Reconciled,
    Settled,
    ToolCall,
    ToolMetadata,
    ToolSpec,
)
from modules._remote.module import RemoteModule
from modules.livekit import records as r
from modules.livekit.config import LONGEST_LINK_MINUTES, LiveKitModuleSettings, LiveKitSettings
from modules.livekit.hook_calls import CallReceiver
from modules.livekit.integration_livekit import LiveKitIntegration
from modules.livekit.rendering import about_calls

CONTRACT = "1.0.0"
CREATE, JOIN = "bot_livekit_create_room", "bot_livekit_join_room"
TIMEOUT_MS = 30_000


class CreateArgs(ClosedRecord):
    """What the call is about, in a few words."""

    name: str = Field(
        min_length=1,
        max_length=100,
        description="What the call is about, in the owner's words.",
        examples=["Call with Anna"],
    )


class JoinArgs(ClosedRecord):
    """Who is to be let into which room."""

    room: r.RoomName = Field(
        description="The `room` that `bot_livekit_create_room` yields.", examples=[{"step": 1, "fact": "room"}]
    )
    name: str = Field(
        min_length=1, max_length=100, description="What the others see this person called.", examples=["Anna"]
    )
    minutes: int = Field(
        default=0,
        ge=0,
        le=LONGEST_LINK_MINUTES,
        description="How long the link lets them in, in minutes; 0: the usual time.",
        examples=[30],
    )
    listen_only: bool = Field(default=False, description="Whether they can only hear and see.", examples=[True])


class LiveKitModule(RemoteModule[LiveKitSettings, LiveKitIntegration]):
    """The owner's LiveKit server."""

    channel = "livekit"
    about = ChannelInfo(words=Words.BUTLER)
    title = "your LiveKit"
    settings_model = LiveKitModuleSettings

    def __init__(self, settings: LiveKitModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context, settings.bot, LiveKitIntegration, package="livekit.api")

    def writes(self) -> Sequence[ToolSpec]:
        return (
            remote_tool(
                self.remote,
                self.channel,
                "create_room",
                contract_version=CONTRACT,
                description="Open a room for a call on the person's LiveKit server.",
                args=CreateArgs,
                facts=("room",),
                handler=self._create,
                preview=preview_create,
                approval_default=ApprovalDefault.NONE,
                reconcile=self._find_created,
                unseen=True,
                to_owner=True,
                asks_if_model_chose=True,
                examples=({"name": "Call with Anna"},),
            ),
            remote_tool(
                self.remote,
                self.channel,
                "join_room",
                contract_version=CONTRACT,
                description="Make a link that lets one person into an open room for a call, shown to the owner only.",
                args=JoinArgs,
                facts=("link", "invitation", "expires_at"),
                handler=self._join,
                preview=self._preview_join,
                approval_default=ApprovalDefault.NONE,
                reconcile=self._find_joined,
                unseen=True,
                to_owner=True,
                examples=(
                    {"room": "call-with-anna-k3v9x2m7qa4t", "name": "Anna"},
                    {"room": "choir-meeting-p5n2d7w6e3zc", "name": "Bob", "minutes": 30, "listen_only": True},
                ),
            ),
        )

    def render_together(self, results: Sequence[StepResult], context: PlanContext) -> Rendered | None:
        return about_calls(results, context)

    def roles(self) -> Mapping[str, ToolMetadata]:
        return {
            CREATE: ToolMetadata.of(content="name"),
            JOIN: ToolMetadata.of(content="name", target="room", option="minutes listen_only"),
        }

    def hooks(self) -> Sequence[HookReceiver]:
        return (CallReceiver(self.bot, self.context),) if self.integrations() else ()

    async def _create(self, call: ToolCall) -> IntegrationResult:
        args = {
            "name": self._room_of(call),
            "empty_timeout_s": self.bot.empty_minutes * 60,
            "max_participants": self.bot.max_participants,
        }
        return await self._call(call, r.CREATE_ROOM, args)

    async def _join(self, call: ToolCall) -> IntegrationResult:
        args: JoinArgs = call.args
        identity = self.remote.name_for(args.name, call.call_id, "guest")
        more = {"identity": identity, "minutes": self._minutes(args)}
        result = await self._call(call, r.JOIN_ROOM, args.model_dump(mode="json") | more)
        if result.data is None or call.dry_run:
            return result
        text = say("Join me in a call: {link}", link=result.data["link"])
        return result.model_copy(update={"data": {**result.data, "invitation": text}})

    async def _find_created(self, call: ToolCall) -> Reconciled:
        """Settle the opening of a room by whether it exists: its name belongs to this call only."""
        room = self._room_of(call)
        result = await self._call(call, r.LIST_ROOMS, {"names": [room]})
        if result.error is not None:
            return Reconciled.with_text(Settled.UNKNOWN, result.error.message)
        rooms: Sequence[Mapping[str, Any]] = (result.data or {})["rooms"]
        found = next((one for one in rooms if one["room"] == room), None)
        if found is None:
            return Reconciled.with_text(Settled.REPEAT, phrase("the room is not there"))
        return Reconciled.with_text(Settled.DONE, phrase("the room is open"), found)

    async def _find_joined(self, _call: ToolCall) -> Reconciled:
        """Settle a link by creating it again, since it changes nothing at the server."""
        return Reconciled.with_text(Settled.REPEAT, phrase("the link was lost before anybody saw it"))

    async def _call(self, call: ToolCall, method_id: str, args: dict[str, Any]) -> IntegrationResult:
        return await self.remote.request(call.trace_id, method_id, args, timeout_ms=TIMEOUT_MS, dry_run=call.dry_run)

    def _room_of(self, call: ToolCall) -> str:
        args: CreateArgs = call.args
        return self.remote.name_for(args.name, call.call_id, "call")

    def _minutes(self, args: JoinArgs) -> int:
        return args.minutes or self.bot.link_minutes

    def _preview_join(self, args: JoinArgs) -> Preview:
        minutes = self._minutes(args)
        what = say("only hears and sees the others") if args.listen_only else say("hears, sees and speaks")
        return Preview(
            say("Makes a link that lets one person into a call; you alone get it"),
            facts=(
                (say("Who"), args.name),
                (say("Room"), args.room),
                (say("In the call"), what),
                (say("Lets in"), say_many(minutes, "{count} minute", "{count} minutes")),
                (say("Mind"), say("Whoever has the link can join by it.")),
            ),
            told=tuple(JoinArgs.model_fields),
        )


def preview_create(args: CreateArgs) -> Preview:
    """Return the preview of a room."""
    return Preview(
        say("Opens a room for a call on your LiveKit server"),
        facts=(
            (say("What about"), args.name),
            (say("Who gets in"), say("Only who has a link to it, and nobody has one yet.")),
        ),
        told=("name",),
    )
