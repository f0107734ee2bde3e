"""Reminders: said to the owner at a wall time of the owner's own zone, also after a restart."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, NaiveDatetime

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Refuse
from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.module import Module
from butler.contract.names import ApprovalDefault, Direction, Identity
from butler.contract.schedules import once
from butler.contract.speech import say, say_moment
from butler.contract.tools import ArgMetadata, ArgRole, Preview, ToolCall, ToolMetadata, ToolSpec, input_tool


class RemindersSettings(BaseModel):
    """`[modules.reminders]` has nothing to set."""

    model_config = ConfigDict(frozen=True, extra="forbid")


class CreateArgs(BaseModel):
    """What to say and when: wall time in the owner's zone, without offset."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    text: str = Field(min_length=1, max_length=1_000)
    at: NaiveDatetime


class ListArgs(BaseModel):
    """How many of the next reminders."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    limit: int = Field(default=20, ge=1, le=100)


class RemindersModule(Module):
    """`bot_reminders_*`."""

    channel = "reminders"
    built_in = True
    settings_model = RemindersSettings

    def bot_inputs(self) -> Sequence[ToolSpec]:
        description = "List the reminders that are still to come."
        return (input_tool("bot_reminders_list", description, ListArgs, self._list),)

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return (
            ToolSpec(
                tool_name="bot_reminders_create",
                channel="reminders",
                direction=Direction.OUTPUT,
                identity=Identity.BOT,
                approval_default=ApprovalDefault.NONE,
                description="Remind the owner of something at a given local date and time.",
                args=CreateArgs,
                handler=self._create,
                idempotency=Idempotency.STATE,
                preview=preview,
                to_owner=True,
            ),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {
            "bot_reminders_list": ToolMetadata({"limit": ArgMetadata(ArgRole.OPTION)}),
            "bot_reminders_create": ToolMetadata(
                {"text": ArgMetadata(ArgRole.CONTENT, sensitive=True), "at": ArgMetadata(ArgRole.OPTION)}
            ),
        }

    async def _create(self, call: ToolCall) -> IntegrationResult:
        args: CreateArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        try:
            rule = once(args.at, self.context.reminders.zone())
            reminder = await self.context.reminders.add(call.call_id, args.text, rule, call.origins)
        except Refuse as refusal:
            return failed(IntegrationErrorCode.INVALID_INPUT, refusal.detail)
        return IntegrationResult(ok=True, data={"reminder": reminder.model_dump(mode="json")})

    async def _list(self, call: ToolCall) -> IntegrationResult:
        args: ListArgs = call.args
        waiting = await self.context.reminders.waiting(args.limit)
        if not waiting:
            return failed(IntegrationErrorCode.NOT_FOUND, say("no reminder is waiting"))
        data: dict[str, Any] = {"reminders": [reminder.model_dump(mode="json") for reminder in waiting]}
        return IntegrationResult(ok=True, data=data)


def preview(args: CreateArgs) -> Preview:
    """What a card would show."""
    at: datetime = args.at
    return Preview(effect=say("Reminds you on {moment}", moment=say_moment(at)), body=args.text)
