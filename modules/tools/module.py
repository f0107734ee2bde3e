"""`bot_tools_describe`: describes the tools to the owner, planners and experts. It only reads."""

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from pydantic import Field

from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode, Refuse
from butler.contract.integration import IntegrationResult
from butler.contract.module import Module
from butler.contract.quoted_words import others_lines
from butler.contract.records import ClosedRecord
from butler.contract.rendering import Rendered, StepResult, showed
from butler.contract.speech import say
from butler.contract.tool_envelope import Op
from butler.contract.tools import ToolCall, ToolMetadata, ToolSpec, input_tool

CHANNEL = "tools"
DESCRIBE = "bot_tools_describe"


class ToolsSettings(ClosedRecord):
    """`[modules.tools]` has nothing to set."""


class DescribeArgs(ClosedRecord):
    """What is asked, and of which tool or channel; of all of them where that is empty."""

    op: Op = Field(
        description="What is asked; `status` asks the providers whether they can be used.", examples=["help"]
    )
    about: str = Field(
        default="", max_length=80, description="A tool or a channel; left out: all of them.", examples=["trello"]
    )


class ToolsModule(Module):
    """`bot_tools_describe`."""

    channel = CHANNEL
    built_in = True
    settings_model = ToolsSettings

    def bot_inputs(self) -> Sequence[ToolSpec]:
        description = "Say what tools can do and whether they can be used."
        return (input_tool(DESCRIBE, description, DescribeArgs, self._tell, facts=("count",)),)

    def render(self, result: StepResult, _zone: ZoneInfo) -> Rendered | None:
        return showed(result, others_lines(str(result.data.get("told") or "")))

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {DESCRIBE: ToolMetadata.of(option="op about")}

    async def _tell(self, call: ToolCall) -> IntegrationResult:
        args: DescribeArgs = call.args
        if self.context.built_in.envelope is None:
            return failed(IntegrationErrorCode.NOT_FOUND, say("nobody is here to ask"))
        try:
            description = await self.context.built_in.envelope.told(args.op, args.about)
        except Refuse as refusal:
            return failed(IntegrationErrorCode.NOT_FOUND, refusal.detail)
        return IntegrationResult(ok=True, data={"told": description.text, "count": len(description.tools)})
