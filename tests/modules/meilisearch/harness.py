"""A Meilisearch server of ours with two indexes, and the module on it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from butler.adapters.catalogue import catalogue_of
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.registry import Registry
from modules.meilisearch.config import MeilisearchModuleSettings
from modules.meilisearch.integration_meilisearch import MeilisearchIntegration
from modules.meilisearch.module import MeilisearchModule
from tests.adapters.faulty import FaultyProxy
from tests.adapters.servers.meilisearch.documents import Index
from tests.adapters.servers.meilisearch.server import MeilisearchServer
from tests.support.context import make_context

KEY, NARROW_KEY = "ms-key-5f2e8d1c9b", "ms-narrow-7a3c4e6d2f"
LONG = " ".join(["The cellar is dry in summer."] * 20 + ["The boiler hums."] + ["Winter brings damp walls."] * 20)
PAPERS: list[dict[str, Any]] = [
    {"id": 1, "title": "Boiler service", "text": "Each May by Smith & Sons.", "year": 2025, "paid": True},
    {"id": 2, "title": "Invoice", "text": "Boiler repair: 120 pounds.", "year": 2026, "paid": False},
    {"id": 3, "title": "Cellar", "text": LONG, "year": 2024, "tags": ["house", "damp"]},
    {"id": 4, "title": "Garden gate", "text": "Needs paint.", "shop": 'The "Nail" \\ Co', "weight": 0.00001},
]
RECIPES: list[dict[str, Any]] = [{"slug": "lasagne", "name": "Lasagne", "body": "Layers, sauce, cheese."}]


@dataclass(frozen=True)
class Harness:
    """The tool on the server; `proxy` stands between them."""

    server: MeilisearchServer
    proxy: FaultyProxy
    registry: Registry
    module: MeilisearchModule
    integration: MeilisearchIntegration

    async def call(self, args: dict[str, Any], *, dry_run: bool = False) -> IntegrationResult:
        """Call the tool with these arguments."""
        tool = "bot_meilisearch_search"
        checked = self.registry.spec(tool).args.model_validate(args)
        return await self.registry.invoke(ToolCall(tool, checked, call_id="c-1", trace_id="t-1", dry_run=dry_run))

    async def found(self, args: dict[str, Any]) -> dict[str, Any]:
        """The data of a search that works."""
        result = await self.call(args)
        assert result.ok, result.error
        return result.data or {}


@asynccontextmanager
async def harness(*, key: str = KEY, url: str = "", **settings: Any) -> AsyncGenerator[Harness]:
    """`key` is what the butler uses; `settings` are those of `[modules.meilisearch.bot]`."""
    server = MeilisearchServer({KEY: "*", NARROW_KEY: "papers"})
    server.indexes["papers"] = Index(PAPERS, filterable=("year", "paid", "tags", "shop", "weight"), sortable=("year",))
    server.indexes["recipes"] = Index(RECIPES, searchable=("name", "body"))
    async with server, FaultyProxy(server.url) as proxy:
        given = {"url": url or proxy.url, "index": "papers", **settings}
        context = make_context(secrets={"BUTLER_MEILISEARCH_KEY": key})
        module = MeilisearchModule(MeilisearchModuleSettings.model_validate({"bot": given}), context)
        integration = module.integrations()[0]
        assert isinstance(integration, MeilisearchIntegration)
        registry = Registry(catalogue_of(integration.contract("1.0.0")))
        registry.add_module(module)
        try:
            yield Harness(server, proxy, registry, module, integration)
        finally:
            await module.stop()
