"""Three modules over AgentDojo's workspace: its mailbox, its calendar and its drive, with Butler's names and rules."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from bench.agent_dojo import Dojo, SuiteCall, SuiteError
from bench.agent_tools import BY_NAME, FACTS, MADE, READ_MAIL, TOOLS, SuiteTool, made, rows
from butler.contract.card import Span
from butler.contract.channel import ChannelInfo
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.module import Module, ModuleContext
from butler.contract.names import Direction, ToolName
from butler.contract.referents import ReferentKind
from butler.contract.rendering import Rendered, StepResult, showed
from butler.contract.tools import ToolCall, ToolMetadata, ToolSpec, input_tool, output_tool
from butler.contract.visible import visible

LONGEST = 2_000
"""Characters of an item that a list shows."""


class NoSettings(BaseModel):
    """Nothing to set."""


@dataclass
class Workspace:
    """One case's mailbox, calendar and drive, and what was done to them."""

    dojo: Dojo
    functions: Mapping[str, str]
    """What each of the suite's functions does."""
    zone: ZoneInfo
    effects: list[tuple[str, SuiteCall]] = field(default_factory=list[tuple[str, SuiteCall]])
    """Each call with an effect that was made, with the id under which Butler made it."""

    async def do(self, call: ToolCall) -> IntegrationResult:
        """Make a call."""
        tool = BY_NAME[call.tool]
        wanted = tool.suite_call(call.args, self.zone)
        if tool.direction is Direction.OUTPUT:
            self.effects.append((call.call_id, wanted))
        try:
            found = await self._found(tool, call.args, wanted)
        except SuiteError as error:
            return failed(IntegrationErrorCode.NOT_FOUND, str(error))
        if tool.direction is Direction.OUTPUT:
            return IntegrationResult(ok=True, data=made(tool, found, self.zone))
        return IntegrationResult(ok=True, data=rows(tool, found, self.zone))

    async def _found(self, tool: SuiteTool, args: Any, wanted: SuiteCall) -> Any:
        if not tool.function:
            return await self.dojo.mail(args.message_id)
        return await self.dojo.call(wanted.function, wanted.args)


class WorkspaceModule(Module):
    """One channel of the workspace."""

    settings_model = NoSettings
    built_in: ClassVar[bool] = True

    def __init__(self, workspace: Workspace, context: ModuleContext) -> None:
        super().__init__(NoSettings(), context)
        self._workspace = workspace
        self._own = [one for one in TOOLS if ToolName.parse(one.name).channel == self.channel]

    def user_inputs(self) -> Sequence[ToolSpec]:
        return [
            input_tool(one.name, self._about(one), one.args, self._workspace.do, facts=FACTS[one.finds])
            for one in self._own
            if one.direction is Direction.INPUT
        ]

    def user_outputs(self) -> Sequence[ToolSpec]:
        return [
            output_tool(one.name, self._about(one), one.args, self._workspace.do, one.preview, facts=MADE[one.makes])
            for one in self._own
            if one.direction is Direction.OUTPUT
        ]

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {one.name: one.metadata() for one in self._own}

    def render(self, result: StepResult, _zone: ZoneInfo) -> Rendered | None:
        """Show events whole, and files as Butler shows those of a Drive: a line for each, and a single one's text."""
        found = result.items()
        if result.spec.direction is not Direction.INPUT or not found or self.channel == WorkspaceMail.channel:
            return None
        texts = [str(one.data.get("text", ""))[:LONGEST] for one in found]
        if self.channel == WorkspaceDrive.channel and len(texts) > 1:
            texts = [text.partition("\n")[0] for text in texts]
        shown = "\n\n".join(f"{number}. {visible(text)}" for number, text in enumerate(texts, result.first))
        return Rendered((Span(text=shown),)) if result.handles else showed(result, (Span(text=shown),))

    def _about(self, tool: SuiteTool) -> str:
        about = self._workspace.functions.get(tool.function, READ_MAIL)
        return " ".join(about.split())


class WorkspaceMail(WorkspaceModule):
    """The mailbox."""

    channel = "email"
    about = ChannelInfo(title="Mail", contents="your mails", referent=ReferentKind.MAIL)


class WorkspaceCalendar(WorkspaceModule):
    """The calendar."""

    channel = "calendar"
    about = ChannelInfo(
        title="Calendar",
        contents="your calendar",
        thing="an event in your calendar",
        referent=ReferentKind.EVENT,
        makes_things=True,
    )


class WorkspaceDrive(WorkspaceModule):
    """The drive."""

    channel = "drive"
    about = ChannelInfo(title="Drive", contents="your Drive", thing="a file in your Drive", referent=ReferentKind.FILE)


MODULES: tuple[type[WorkspaceModule], ...] = (WorkspaceMail, WorkspaceCalendar, WorkspaceDrive)
