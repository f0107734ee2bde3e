"""`bot_meilisearch_search`: the person's Meilisearch server is searched."""

from collections.abc import Mapping, Sequence

from butler.contract.adapters import remote_tool, through
from butler.contract.integration import BaseIntegration
from butler.contract.module import CheckResult, Module, ModuleContext
from butler.contract.tools import ArgMetadata, ArgRole, ToolMetadata, ToolSpec
from modules._remote.causes import require
from modules.meilisearch.config import MeilisearchModuleSettings
from modules.meilisearch.integration_meilisearch import MeilisearchIntegration
from modules.meilisearch.records import SearchArgs

VERSION = "1.0.0"
"""Of the adapter's contract that the tool is made for."""
_ROLES = {
    "query": ArgRole.TARGET,
    "index": ArgRole.TARGET,
    "filter": ArgRole.TARGET,
    "sort": ArgRole.OPTION,
    "limit": ArgRole.OPTION,
    "offset": ArgRole.OPTION,
}


class MeilisearchModule(Module):
    """Nothing connects before the first call, and nothing stays open after one."""

    channel = "meilisearch"
    settings_model = MeilisearchModuleSettings

    def __init__(self, settings: MeilisearchModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context)
        self._settings = settings.bot if settings.bot is not None and settings.bot.enabled else None
        self._integration: MeilisearchIntegration | None = None
        if self._settings is not None:
            require("meilisearch", self.channel)
            self._integration = MeilisearchIntegration(self._settings, context)

    def bot_inputs(self) -> Sequence[ToolSpec]:
        if self._integration is None or self._settings is None:
            return ()
        tool = remote_tool(
            self._integration,
            self.channel,
            "search",
            contract_version=VERSION,
            description=f"Search the person's Meilisearch server by words; its usual index is {self._settings.index}.",
            args=SearchArgs,
            handler=through(self._integration, "search", timeout_ms=int(self._settings.timeout_s * 1000)),
            examples=(
                {"query": "boiler invoice", "limit": 5},
                {"query": "lasagne", "index": "recipes", "filter": [{"field": "minutes", "op": "lte", "value": 45}]},
            ),
        )
        return (tool,)

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {"bot_meilisearch_search": ToolMetadata({name: ArgMetadata(role) for name, role in _ROLES.items()})}

    def integrations(self) -> Sequence[BaseIntegration]:
        return (self._integration,) if self._integration is not None else ()

    async def checks(self) -> Sequence[CheckResult]:
        if self._integration is None:
            return ()
        status = await self._integration.auth_status()
        return [CheckResult("your Meilisearch", ok=status["ok"], detail=status["detail"], todo=status["todo"])]
