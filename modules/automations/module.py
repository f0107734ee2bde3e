"""`bot_automations_*`: creates (on a card that shows everything), lists, pauses, resumes, removes and replays them."""

from collections.abc import Mapping, Sequence
from typing import Any
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from butler.contract.automation_words import (
    IN_A_FILE,
    NO_SUCH,
    NONE,
    contact_ids,
    dry_words,
    fired_line,
    line,
    taken_words,
    until_words,
)
from butler.contract.automations import (
    Automation,
    AutomationAction,
    AutomationRepository,
    AutomationState,
    SavedAutomation,
)
from butler.contract.card import Span
from butler.contract.channel import ChannelInfo, Words
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Refuse
from butler.contract.integration import Idempotency, IntegrationResult
from butler.contract.module import Module
from butler.contract.provenance import Origin, Trust
from butler.contract.quoted_words import others_lines
from butler.contract.records import ClosedRecord
from butler.contract.referents import ReferentKind
from butler.contract.rendering import Rendered, StepResult, showed
from butler.contract.speech import phrase, say
from butler.contract.tools import (
    Preview,
    ToolCall,
    ToolHandler,
    ToolMetadata,
    ToolSpec,
    input_tool,
    output_tool,
    own_tool,
)
from butler.contract.visible import visible
from butler.provenance import by_model
from modules.automations.args import FACTS, TAKEN_WHOLE, CreateArgs, NoArgs, NumberArgs, ReplayArgs, preview

FIRINGS = 20


class AutomationsSettings(ClosedRecord):
    """`[modules.automations]` has nothing to set; automations in files stand as `[[automations]]`."""


class AutomationsModule(Module):
    """`bot_automations_*`."""

    channel = "automations"
    about = ChannelInfo(
        title=phrase("Automations"),
        contents=phrase("your automations"),
        words=Words.STATED,
        referent=ReferentKind.AUTOMATION,
        makes_things=True,
        completed_by="rehearsal",
    )
    built_in = True
    settings_model = AutomationsSettings

    def bot_inputs(self) -> Sequence[ToolSpec]:
        return (
            input_tool(
                "bot_automations_list", "List the automations of the owner.", NoArgs, self._list, facts=FACTS["list"]
            ),
            input_tool(
                "bot_automations_show",
                "Show one automation and when it last fired.",
                NumberArgs,
                self._show,
                facts=FACTS["show"],
            ),
        )

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return (
            output_tool(
                "bot_automations_create",
                "Do something by itself whenever an event happens or at times; shown on a card first.",
                CreateArgs,
                self._create,
                preview,
                idempotency=Idempotency.STATE,
                complete=self._dry_run,
                whole=TAKEN_WHOLE,
                facts=FACTS["create"],
            ),
            _own("pause", "Pause an automation.", NumberArgs, self._pause),
            _own("resume", "Let an automation go on that is paused or was stopped.", NumberArgs, self._resume),
            _own("remove", "Remove an automation for good.", NumberArgs, self._remove),
            _own("replay", "Let an event that is over fire its automations once more.", ReplayArgs, self._replay),
        )

    def render(self, result: StepResult, _zone: ZoneInfo) -> Rendered | None:
        text = str(result.data.get("told") or "")
        match result.action:
            case "list":
                return Rendered((Span(text=visible(text)),))
            case "show":
                return showed(result, others_lines(text))
            case "pause" | "resume" | "remove" if result.ok:
                number, name = int(result.data["number"]), str(result.data["name"])
                return Rendered((Span(text=visible(taken_words(AutomationAction(result.action), number, name))),))
            case _:
                return None

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        number = ToolMetadata.of(target="number")
        return {
            "bot_automations_list": ToolMetadata({}),
            "bot_automations_show": number,
            "bot_automations_create": ToolMetadata.of(
                content="do", target="name", option="replaces when clock hours until per_hour per_day dry_run people"
            ),
            "bot_automations_pause": number,
            "bot_automations_resume": number,
            "bot_automations_remove": number,
            "bot_automations_replay": ToolMetadata.of(target="number event"),
        }

    @property
    def _repository(self) -> AutomationRepository:
        repository = self.context.built_in.automations
        if repository is None:
            raise Refuse(say("there are no automations here"))
        return repository

    async def _dry_run(self, call: ToolCall) -> IntegrationResult:
        args: CreateArgs = call.args
        automation = args.automation()
        if automation.until is not None and automation.until.ends <= self.context.clock.now():
            over = say("{day} is over; name a later end", day=until_words(automation.until))
            return failed(IntegrationErrorCode.INVALID_INPUT, over)
        kept = await self._repository.kept()
        if refusal := _needless(automation, kept, args.replaces):
            return refusal
        dry, known = await self._repository.dry_run(automation), await self._repository.people()
        people = {one: known[one] for one in contact_ids(automation) if one in known}
        return IntegrationResult(
            ok=True, data={"dry_run": dry_words(dry, automation, self.context.zone), "people": people}
        )

    async def _create(self, call: ToolCall) -> IntegrationResult:
        args: CreateArgs = call.args
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        try:
            return _result(await self._repository.save(call.call_id, args.automation(), args.replaces))
        except Refuse as refused:
            return failed(IntegrationErrorCode.NOT_FOUND, refused.detail)

    async def _list(self, call: ToolCall) -> IntegrationResult:
        del call
        kept = await self._repository.kept()
        if not kept:
            return IntegrationResult(ok=True, data={"told": say(NONE), "automations": [], "count": 0})
        people = await self._repository.people()
        text = "\n\n".join(line(one, self.context.zone, people) for one in kept)
        found = [_item(one) for one in kept]
        return IntegrationResult(ok=True, data={"told": text, "automations": found, "count": len(kept)})

    async def _show(self, call: ToolCall) -> IntegrationResult:
        args: NumberArgs = call.args
        try:
            kept, fired = await self._repository.get(args.number), await self._repository.fired(args.number, FIRINGS)
        except Refuse as refusal:
            return failed(IntegrationErrorCode.NOT_FOUND, refusal.detail)
        zone = self.context.zone
        lines = [fired_line(one, zone) for one in fired]
        text = "\n".join(
            [line(kept, zone, await self._repository.people()), *(lines or [say("It has not fired yet.")])]
        )
        return IntegrationResult(ok=True, data={"told": text, "fired": len(fired), "automations": [_item(kept)]})

    async def _pause(self, call: ToolCall) -> IntegrationResult:
        return await self._take(call, AutomationAction.PAUSE)

    async def _resume(self, call: ToolCall) -> IntegrationResult:
        return await self._take(call, AutomationAction.RESUME)

    async def _remove(self, call: ToolCall) -> IntegrationResult:
        return await self._take(call, AutomationAction.REMOVE)

    async def _take(self, call: ToolCall, step: AutomationAction) -> IntegrationResult:
        args: NumberArgs = call.args
        if refusal := _not_at_others_word(call):
            return refusal
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        try:
            return _result(await self._repository.take(args.number, step))
        except Refuse as refused:
            return failed(IntegrationErrorCode.NOT_FOUND, refused.detail)

    async def _replay(self, call: ToolCall) -> IntegrationResult:
        args: ReplayArgs = call.args
        if refusal := _not_at_others_word(call):
            return refusal
        if call.dry_run:
            return IntegrationResult(ok=True, data={"dry_run": True})
        try:
            fired = await self._repository.replay(call.call_id, args.event, args.number)
        except Refuse as refused:
            return failed(IntegrationErrorCode.NOT_FOUND, refused.detail)
        return IntegrationResult(ok=True, data={"numbers": [one.number for one in fired]})


def _own(action: str, description: str, args: type[BaseModel], handler: ToolHandler) -> ToolSpec:
    """Return the specification of a tool that changes only the butler's own rows."""
    return own_tool(
        f"bot_automations_{action}",
        description,
        args,
        handler,
        lambda _: Preview(effect=description),
        facts=FACTS[action],
    )


def _not_at_others_word(call: ToolCall) -> IntegrationResult | None:
    """Return a refusal if others' words are among the call's origins: only the owner controls automations.

    A model's plan is none of their words; where it knew any when it planned, the owner was asked by a card.
    """
    others = any(origin.trust in {Trust.UNTRUSTED, Trust.CONTACT} for origin in call.origins)
    if others and not by_model(call.origins):
        return failed(IntegrationErrorCode.FORBIDDEN, say("others had a hand in that; say it yourself"))
    return None


def _needless(automation: Automation, kept: Sequence[SavedAutomation], replaces: int) -> IntegrationResult | None:
    """Return a refusal if one does the same already, or if the one to be replaced cannot be."""
    replaced = next((one for one in kept if one.number == replaces), None)
    if replaces and replaced is None:
        return failed(IntegrationErrorCode.NOT_FOUND, say(NO_SUCH, number=replaces))
    if replaced is not None and replaced.by_file:
        return failed(IntegrationErrorCode.INVALID_INPUT, say(IN_A_FILE, number=replaces))
    same = next((one for one in kept if one.number != replaces and one.automation.does_same(automation)), None)
    if same is None:
        return None
    known = {"number": same.number, "name": same.automation.name}
    if same.standing is AutomationState.ACTIVE:
        text = say("automation {number}, “{name}”, does that already; nothing more is needed", **known)
    else:
        text = say("automation {number}, “{name}”, does that already but is stopped; let it go on", **known)
    # Other arguments would not mend it, so no planner is to try any.
    return failed(IntegrationErrorCode.REJECTED, text)


def _result(kept: SavedAutomation) -> IntegrationResult:
    data: dict[str, Any] = {"number": kept.number, "name": kept.automation.name, "standing": kept.standing.value}
    return IntegrationResult(ok=True, data=data | {"digest": kept.digest, "automations": [_item(kept)]})


def _item(kept: SavedAutomation) -> dict[str, Any]:
    """Return an automation as something that can be referred to; the owner has seen it whole, or wrote it."""
    owners = Origin.owner(AutomationsModule.channel).model_dump(mode="json")
    return {"id": str(kept.number), "name": kept.automation.name, "origin": owners}
