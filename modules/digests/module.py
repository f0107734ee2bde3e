"""`bot_digests_*`: sets the time of a digest, skips a day, and watches for somebody's answer or no longer does.

The tools change only the butler's own rows, which nobody but the owner sees.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date, time
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel, Field, NaiveDatetime

from butler.contract.channel import ChannelInfo, Words
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Refuse
from butler.contract.following import DigestKind
from butler.contract.integration import IntegrationResult
from butler.contract.module import Module
from butler.contract.records import ClosedRecord
from butler.contract.referents import ReferentKind
from butler.contract.rendering import Rendered, StepResult
from butler.contract.speech import phrase, say, say_clock, say_day, say_moment
from butler.contract.tools import (
    Preview,
    Recipient,
    ToolCall,
    ToolHandler,
    ToolMetadata,
    ToolSpec,
    own_tool,
)
from modules.digests.rendering import rendered


class DigestsModuleSettings(ClosedRecord):
    """`[modules.digests]` has nothing to set; `[digests]` has."""


class SetTimeArgs(ClosedRecord):
    """Which digest, and when it comes by the owner's clock; without a time there is none any more."""

    kind: DigestKind = Field(description="`morning` tells of today, `evening` of tomorrow.", examples=["morning"])
    at: time | None = Field(
        default=None, description="Local time of day; left out: no such digest any more.", examples=["07:30"]
    )


class SkipArgs(ClosedRecord):
    """A day on which there is no digest."""

    day: date = Field(description="Only this day is left out.", examples=["2026-03-02"])


class WatchArgs(ClosedRecord):
    """Whose answer is waited for, and until when by the owner's clock; the usual time where that is left out.

    With `tell_answer`, the owner is told of the answer, too, as soon as it has come.
    """

    who: Recipient = Field(description="Whose answer is waited for.", examples=[{"contact": "c1"}])
    until: NaiveDatetime | None = Field(
        default=None, description="Local time; left out: the usual time.", examples=["2026-03-06T18:00:00"]
    )
    tell_answer: bool = Field(
        default=False, description="Whether to tell of the answer as soon as it comes, too.", examples=[True]
    )


class EndWatchArgs(ClosedRecord):
    """Whose answer is no longer waited for; the only one that is awaited where nothing is said."""

    who: Recipient | None = Field(default=None, description="Whose answer.", examples=[{"contact": "c1"}])
    wait_id: str = Field(default="", description="One of the list that was shown.", examples=[{"handle": "wait-1"}])
    every: bool = Field(default=False, description="All of them, if the owner says so.", examples=[True])


class DigestsModule(Module):
    """`bot_digests_*`."""

    channel = "digests"
    about = ChannelInfo(
        title=phrase("Digests"), words=Words.BUTLER, referent=ReferentKind.WAIT, next_acts=("end_watch",)
    )
    built_in = True
    settings_model = DigestsModuleSettings

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return (
            _tool("set_time", "Send the owner a digest of the day at a time, or no more.", SetTimeArgs, self._set_time),
            _tool("skip", "Send no digest on a day.", SkipArgs, self._skip),
            _tool(
                "watch_answer", "Tell the owner if somebody has not answered by a time.", WatchArgs, self._watch_answer
            ),
            _tool("end_watch", "Watch for somebody's answer no longer.", EndWatchArgs, self._end_watch),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {
            "bot_digests_set_time": ToolMetadata.of(option="kind at"),
            "bot_digests_skip": ToolMetadata.of(option="day"),
            "bot_digests_watch_answer": ToolMetadata.of(target="who", option="until tell_answer"),
            "bot_digests_end_watch": ToolMetadata.of(target="who wait_id", option="every"),
        }

    def render(self, result: StepResult, zone: ZoneInfo) -> Rendered | None:
        return rendered(result, zone)

    async def _set_time(self, call: ToolCall) -> IntegrationResult:
        args: SetTimeArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        times = await self.context.built_in.digests.set_time(args.kind, args.at)
        if times.next_at is None:
            return IntegrationResult(ok=True, data={"told": say("/digest shows one whenever you want.")})
        at = times.next_at.astimezone(self.context.zone)
        text = say("The next one comes on {moment} ({zone}).", moment=say_moment(at), zone=times.zone)
        return IntegrationResult(ok=True, data={"told": text})

    async def _skip(self, call: ToolCall) -> IntegrationResult:
        args: SkipArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        try:
            await self.context.built_in.digests.skip(args.day)
        except Refuse as refusal:
            return failed(IntegrationErrorCode.INVALID_INPUT, refusal.detail)
        return IntegrationResult(ok=True, data={})

    async def _watch_answer(self, call: ToolCall) -> IntegrationResult:
        args: WatchArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        try:
            waits = self.context.built_in.waits
            wait = await waits.watch(call.call_id, args.who.address, args.until, tells=args.tell_answer)
        except Refuse as refusal:
            return failed(IntegrationErrorCode.INVALID_INPUT, refusal.detail)
        watch = {"who": named(args.who), "until": wait.until.isoformat(), "tells": args.tell_answer}
        return IntegrationResult(ok=True, data={"watch": watch})

    async def _end_watch(self, call: ToolCall) -> IntegrationResult:
        args: EndWatchArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        address = args.who.address if args.who is not None else ""
        try:
            ended = await self.context.built_in.waits.end(address=address, wait_id=args.wait_id, every=args.every)
        except Refuse as refusal:
            return failed(IntegrationErrorCode.INVALID_INPUT, refusal.detail)
        return IntegrationResult(ok=True, data={"ended": list(ended)})


def preview_time(args: SetTimeArgs) -> Preview:
    """Return the preview of a digest's new time."""
    if args.at is None:
        return Preview(effect=say("Sends you no such digest any more"))
    return Preview(effect=say("Sends you a digest at {clock}", clock=say_clock(args.at)))


def preview_skip(args: SkipArgs) -> Preview:
    """Return the preview of a day without digests."""
    return Preview(effect=say("Sends you no digest on {day}", day=say_day(args.day)))


def preview_watch(args: WatchArgs) -> Preview:
    """Return the preview of waiting for an answer."""
    effect = say("Tells you when the answer comes") if args.tell_answer else say("Tells you if there is no answer")
    return Preview(effect=effect, facts=(("", named(args.who)),), told=("who", "tell_answer"))


def preview_end(args: EndWatchArgs) -> Preview:
    """Return the preview of waiting no longer."""
    facts = (("", named(args.who)),) if args.who is not None else ()
    return Preview(effect=say("Waits no longer for an answer"), facts=facts, told=("who", "wait_id", "every"))


def named(who: Recipient) -> str:
    """Return the owner's name for somebody, or else the bare address."""
    return who.name or who.address.partition(":")[2]


_PREVIEWS: Mapping[type[BaseModel], Callable[[Any], Preview]] = {
    SetTimeArgs: preview_time,
    SkipArgs: preview_skip,
    WatchArgs: preview_watch,
    EndWatchArgs: preview_end,
}


ASKS_IF_MODEL_CHOSE = frozenset({"set_time", "skip"})
"""Actions that change when the owner gets messages, or whether at all."""


def _tool(action: str, description: str, args: type[BaseModel], handler: ToolHandler) -> ToolSpec:
    asks_if_model_chose = action in ASKS_IF_MODEL_CHOSE
    return own_tool(
        f"bot_digests_{action}", description, args, handler, _PREVIEWS[args], asks_if_model_chose=asks_if_model_chose
    )
