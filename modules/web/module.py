"""`bot_web_read_page`: opens a page that the owner names, and remembers its text."""

from collections.abc import Mapping, Sequence

from pydantic import Field

from butler.contract.agent_ports import MemoryKind, ReadDocument
from butler.contract.arguments import Question
from butler.contract.base_integration import BaseIntegration
from butler.contract.channel import ChannelInfo, Words
from butler.contract.integration import IntegrationResult
from butler.contract.module import Module, ModuleContext
from butler.contract.reading import DOCUMENT_FACTS, document_data, remember
from butler.contract.records import ClosedRecord
from butler.contract.referents import ReferentKind
from butler.contract.speech import phrase, say
from butler.contract.tools import Preview, ToolCall, ToolMetadata, ToolSpec, input_tool
from modules.web.integration_web import LONGEST_URL, READ, WebIntegration

TOOL = "bot_web_read_page"
_TIMEOUT_MS = 300_000
"""The agents' own limits are a few times shorter; this one only ends calls that hang."""


class WebSettings(ClosedRecord):
    """`[modules.web]` has nothing to set; what may be reached stands in `[connector]`."""


class ReadPageArgs(ClosedRecord):
    """A page, and what is to be found out from it."""

    url: str = Field(
        min_length=1,
        max_length=LONGEST_URL,
        description="The address that the owner wrote, or a page that was shown.",
        examples=["https://news.example/today"],
    )
    question: Question = ""
    recursive: bool = Field(
        default=False, description="Whether pages of its site that it links to are read, too.", examples=[True]
    )
    credentials_id: str = Field(
        default="",
        max_length=30,
        description="Name of a sign-in of the settings; left out: that of its server.",
        examples=["intranet"],
    )
    """The NAME of a `[connector.credentials.NAME]`; those of the page's own server, when left out."""


class WebModule(Module):
    """`bot_web_*`."""

    channel = "web"
    about = ChannelInfo(title=phrase("Page"), words=Words.STATED, referent=ReferentKind.PAGE, next_acts=("read_page",))
    built_in = True
    settings_model = WebSettings

    def __init__(self, settings: WebSettings, context: ModuleContext) -> None:
        super().__init__(settings, context)
        self._web = WebIntegration(context.agents.documents, context.probe)

    def bot_inputs(self) -> Sequence[ToolSpec]:
        description = "Read a page of the web, or with `recursive` also the pages of its site that it links to."
        return (
            input_tool(TOOL, description, ReadPageArgs, self._read, preview, reaches_out={"url"}, facts=DOCUMENT_FACTS),
        )

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {TOOL: ToolMetadata.of(target="url question", option="recursive credentials_id")}

    def integrations(self) -> Sequence[BaseIntegration]:
        return (self._web,)

    async def _read(self, call: ToolCall) -> IntegrationResult:
        args: ReadPageArgs = call.args
        result = await self._web.request(
            call.trace_id,
            READ,
            {"url": args.url, "recursive": args.recursive, "credentials_id": args.credentials_id},
            timeout_ms=_TIMEOUT_MS,
            dry_run=call.dry_run,
        )
        if not isinstance(result.raw, ReadDocument):
            return result
        remembered = await remember(self.context.agents.memory, result.raw, MemoryKind.PAGE)
        return result.model_copy(update={"data": document_data(result.raw, remembered=remembered), "raw": None})


def preview(args: ReadPageArgs) -> Preview:
    """Return the preview: the address is all that the page's server gets to see."""
    effect = (
        say("Opens a page of the web, and pages that it links to; its server sees the address")
        if args.recursive
        else say("Opens a page of the web; its server sees the address")
    )
    return Preview(effect=effect, facts=((say("Page"), args.url),), told=("url",))
