"""A Qdrant server of ours and the module on it, with an embedder whose vectors can be told in the head."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from butler.adapters.catalogue import catalogue_of
from butler.contract.agent_ports import Embed
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.registry import Registry
from modules.qdrant.config import QdrantModuleSettings
from modules.qdrant.integration_qdrant import QdrantIntegration
from modules.qdrant.module import QdrantModule
from tests.adapters.faulty import FaultyProxy
from tests.adapters.servers.qdrant.server import QdrantServer
from tests.support.context import make_context

KEY, READ_ONLY_KEY = "qd-key-8c1f0e5b7a", "qd-read-2b9d6a4c1e"
SUBJECTS = ("boiler", "invoice", "holiday", "garden")


async def embed(texts: Sequence[str], *, query: bool) -> list[list[float]]:
    """One dimension for each subject, and one that all share; a question and a passage alike."""
    del query
    rows = [[float(text.lower().count(word)) for word in SUBJECTS] for text in texts]
    return [[*row, 0.1] + [0.0] * (384 - len(SUBJECTS) - 1) for row in rows]


@dataclass(frozen=True)
class Harness:
    """The tools on the server; `proxy` stands between them."""

    server: QdrantServer
    proxy: FaultyProxy
    registry: Registry
    module: QdrantModule
    integration: QdrantIntegration

    async def call(self, operation: str, args: dict[str, Any], *, dry_run: bool = False) -> IntegrationResult:
        """Call a tool with these arguments."""
        tool = f"bot_qdrant_{operation}"
        checked = self.registry.spec(tool).args.model_validate(args)
        return await self.registry.invoke(ToolCall(tool, checked, call_id="c-1", trace_id="t-1", dry_run=dry_run))

    async def done(self, operation: str, args: dict[str, Any]) -> dict[str, Any]:
        """The data of a call that works."""
        result = await self.call(operation, args)
        assert result.ok, result.error
        return result.data or {}


@asynccontextmanager
async def harness(
    *, key: str = KEY, url: str = "", embedder: Embed = embed, **settings: Any
) -> AsyncGenerator[Harness]:
    """`key` is what the butler uses; `settings` are those of `[modules.qdrant.bot]`."""
    async with (
        QdrantServer(key=KEY, read_only_key=READ_ONLY_KEY) as server,
        FaultyProxy(server.url) as proxy,
    ):
        given = {"url": url or proxy.url, "text_collections": ["notes"], "collection": "notes", **settings}
        context = make_context(secrets={"BUTLER_QDRANT_KEY": key}, embed=embedder)
        module = QdrantModule(QdrantModuleSettings.model_validate({"bot": given}), context)
        integration = module.integrations()[0]
        assert isinstance(integration, QdrantIntegration)
        registry = Registry(catalogue_of(integration.contract("1.0.0")))
        registry.add_module(module)
        try:
            yield Harness(server, proxy, registry, module, integration)
        finally:
            await module.stop()
