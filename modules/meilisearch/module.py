"""`bot_meilisearch_search`: searches the owner's Meilisearch server."""

from collections.abc import Mapping, Sequence
from zoneinfo import ZoneInfo

from butler.contract.adapters import remote_tool, through
from butler.contract.channel import ChannelInfo
from butler.contract.module import ModuleContext
from butler.contract.rendering import Rendered, StepResult, showed
from butler.contract.speech import phrase
from butler.contract.tools import ToolMetadata, ToolSpec
from modules._remote.module import RemoteModule
from modules.meilisearch.config import MeilisearchModuleSettings, MeilisearchSettings
from modules.meilisearch.integration_meilisearch import MeilisearchIntegration
from modules.meilisearch.rendering import hits_text
from modules.meilisearch.tool_args import SearchToolArgs

VERSION = "1.0.0"
"""The operation of the adapter's contract for which there is a tool."""


class MeilisearchModule(RemoteModule[MeilisearchSettings, MeilisearchIntegration]):
    """The owner's Meilisearch server. No connection stays open after a call."""

    channel = "meilisearch"
    about = ChannelInfo(contents=phrase("your search index"))
    title = "your Meilisearch"
    settings_model = MeilisearchModuleSettings

    def __init__(self, settings: MeilisearchModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context, settings.bot, MeilisearchIntegration)

    def reads(self) -> Sequence[ToolSpec]:
        tool = remote_tool(
            self.remote,
            self.channel,
            "search",
            contract_version=VERSION,
            description=f"Search the person's Meilisearch server by words; its usual index is {self.bot.index}.",
            args=SearchToolArgs,
            facts=("count", "estimated", "hits.0.id", "hits.0.title", "hits.0.text"),
            handler=through(self.remote, "search", timeout_ms=self.timeout_ms),
            examples=(
                {"query": "boiler invoice", "limit": 5},
                {"query": "lasagne", "index": "recipes", "filter": [{"field": "minutes", "op": "lte", "value": 45}]},
            ),
        )
        return (tool,)

    def render(self, result: StepResult, _zone: ZoneInfo) -> Rendered | None:
        return showed(result, hits_text(result.data))

    def roles(self) -> Mapping[str, ToolMetadata]:
        return {"bot_meilisearch_search": ToolMetadata.of(target="query index filter", option="sort limit offset")}
