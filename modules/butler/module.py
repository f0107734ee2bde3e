"""`bot_butler_*`: the commands, the owner's preferences and quiet hours, for plans of several steps.

Each does what the same command does in the chat, and its answer with its buttons is sent there by itself. None of them
approves anything.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from pydantic import BaseModel

from butler.contract.channel import ChannelInfo, Words
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Refuse
from butler.contract.integration import IntegrationResult
from butler.contract.module import Module
from butler.contract.own_commands import OwnCommand, OwnCommands, OwnRequest
from butler.contract.records import ClosedRecord
from butler.contract.rendering import PlanContext, Rendered, StepResult
from butler.contract.speech import phrase, say
from butler.contract.tools import Preview, ToolCall, ToolMetadata, ToolSpec, own_tool
from modules.butler.args import COMMANDS, NoArgs, PreferenceArgs, QuietArgs
from modules.butler.previews import of_command, of_preference, of_quiet_hours

CHANNEL = "butler"
QUIET_HOURS = "set_quiet_hours"
PREFERENCE = "set_preference"
DESCRIPTIONS: Mapping[str, str] = {
    "show_help": "Show the owner what the butler can do.",
    "show_pending": "Show the owner what waits for a yes or for its time, with buttons that bring the cards.",
    "show_status": "Show the owner how the butler is: accounts, work, a pause, quiet hours.",
    "show_rules": "Show the owner what passes without a question, with buttons that end a rule.",
    "show_contacts": "Show the owner whom the butler knows by name.",
    "show_preferences": "Show the owner how they like to be answered, with buttons that take it back.",
    "show_bulk": "Show the owner what runs over many things at once, with Pause and Stop.",
    "show_waiting": "Show the owner whose answers they wait for.",
    "show_done": "Show the owner what the butler has done for them today, and how it ended.",
    "show_experts": "Show the owner which experts they can ask by name.",
    "send_digest": "Send the owner a digest of the day now.",
    "explain": "Explain to the owner what made the butler say or ask something.",
    "undo": "Take back what the owner approved last and what has not begun, or show what can be taken back.",
    "pause": "Stop at once all that acts as the owner, with what is approved and has not begun.",
    "resume": "Let what acts as the owner go on after a pause.",
}
SHOWN = frozenset(COMMANDS) - {"undo", "pause", "resume"}
"""Tools that only show something."""
ONLY_THE_OWNER = frozenset({"resume", PREFERENCE, QUIET_HOURS})
"""Tools that ask if a model chose them, unless the owner's own words ask for it."""


class ButlerModuleSettings(ClosedRecord):
    """`[modules.butler]` has nothing to set; `[butler]` has."""


class ButlerModule(Module):
    """`bot_butler_*`."""

    channel = CHANNEL
    about = ChannelInfo(title=phrase("The butler"), words=Words.BUTLER, completed_by="commands")
    built_in = True
    settings_model = ButlerModuleSettings

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return (
            *(self._command(action, command) for action, command in COMMANDS.items()),
            self._tool(
                PREFERENCE,
                "Set how the owner is answered from now on: name, language, persona, length or sources.",
                PreferenceArgs,
                PreferenceArgs.change,
                of_preference,
            ),
            self._tool(
                QUIET_HOURS,
                "Set in which hours the owner is told only what they wait for, or that the settings hold again.",
                QuietArgs,
                QuietArgs.change,
                of_quiet_hours,
            ),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {
            **{_name(action): ToolMetadata({}) for action in COMMANDS},
            _name(PREFERENCE): ToolMetadata.of(option="name value"),
            _name(QUIET_HOURS): ToolMetadata.of(option="start end off"),
        }

    def render_together(self, results: Sequence[StepResult], _context: PlanContext) -> Rendered | None:
        """Leave out the steps that were answered by a message of their own."""
        answered = (one for one in results if one.spec.channel == CHANNEL and one.action != QUIET_HOURS and one.ok)
        steps = frozenset(one.step.step_id for one in answered)
        return Rendered((), steps=steps) if steps else None

    def _command(self, action: str, command: OwnCommand) -> ToolSpec:
        return self._tool(action, DESCRIPTIONS[action], NoArgs, lambda _: command, lambda _: of_command(command))

    def _tool(
        self,
        action: str,
        description: str,
        args: type[BaseModel],
        request: Callable[[Any], OwnRequest],
        preview: Callable[[Any], Preview],
    ) -> ToolSpec:
        async def check(call: ToolCall) -> IntegrationResult:
            try:
                await self._commands.check(request(call.args), call.call_id)
            except Refuse as refusal:
                return failed(IntegrationErrorCode.REJECTED, refusal.detail)
            return IntegrationResult(ok=True, data={})

        async def run(call: ToolCall) -> IntegrationResult:
            try:
                told = await self._commands.run(request(call.args), call.call_id)
            except Refuse as refusal:
                return failed(IntegrationErrorCode.REJECTED, refusal.detail)
            return IntegrationResult(ok=True, data={"told": told} if told else {})

        def asked_for(args: Any, words: str) -> bool:
            commands = self.context.built_in.commands
            return commands is not None and commands.asks_for(request(args), words)

        shows = action in SHOWN
        return own_tool(
            _name(action),
            description,
            args,
            run,
            preview,
            complete=check,
            only_shows=shows,
            asks_if_model_chose=action in ONLY_THE_OWNER,
            asked_for=None if shows else asked_for,
        )

    @property
    def _commands(self) -> OwnCommands:
        commands = self.context.built_in.commands
        if commands is None:
            raise Refuse(say("nobody is here to ask"))
        return commands


def _name(action: str) -> str:
    return f"bot_{CHANNEL}_{action}"
