"""`bot_qdrant_*`: searches the owner's Qdrant server, and writes to it once the owner has approved."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

from butler.contract.adapters import remote_tool, through
from butler.contract.channel import ChannelInfo
from butler.contract.module import ModuleContext
from butler.contract.names import ApprovalDefault
from butler.contract.rendering import Rendered, StepResult, showed
from butler.contract.speech import phrase
from butler.contract.tools import ToolMetadata, ToolSpec
from modules._remote.found_text import matches
from modules._remote.module import RemoteModule
from modules.qdrant import args as a
from modules.qdrant import tool_args as t
from modules.qdrant.config import QdrantModuleSettings, QdrantSettings
from modules.qdrant.integration_qdrant import QdrantIntegration
from modules.qdrant.previews import preview_create, preview_upsert
from modules.qdrant.rendering import health_text

VERSION = "1.0.0"
"""The operations of the adapter's contract for which there are tools."""
_ROLES = {
    "search": ToolMetadata.of(target="collection text vector filter", option="limit score_threshold"),
    "upsert": ToolMetadata.of(content="points", target="collection"),
    "create_collection": ToolMetadata.of(target="collection", option="size distance"),
    "health_check": ToolMetadata({}),
}


class QdrantModule(RemoteModule[QdrantSettings, QdrantIntegration]):
    """The owner's Qdrant server."""

    channel = "qdrant"
    about = ChannelInfo(contents=phrase("your vector store"))
    title = "your Qdrant"
    settings_model = QdrantModuleSettings

    def __init__(self, settings: QdrantModuleSettings, context: ModuleContext) -> None:
        super().__init__(settings, context, settings.bot, QdrantIntegration, package="qdrant_client")

    def reads(self) -> Sequence[ToolSpec]:
        search = f"Search the person's Qdrant server by meaning.{self._collections()}"
        health = "Ask the person's Qdrant server how it is, and which collections it has."
        return (
            self._tool(
                "search",
                description=search,
                args=t.SearchToolArgs,
                facts=("count", "matches.0.id", "matches.0.text", "matches.0.score"),
                examples=(
                    {"collection": "notes", "text": "what did we say about the boiler?", "limit": 5},
                    {"text": "invoices of last year", "filter": [{"field": "year", "op": "gte", "value": 2025}]},
                ),
            ),
            self._tool("health_check", description=health, args=a.HealthArgs, facts=("ok", "version", "collections.0")),
        )

    def writes(self) -> Sequence[ToolSpec]:
        upsert = f"Put texts or vectors into a collection of the person's Qdrant server.{self._collections()}"
        return (
            self._tool(
                "upsert",
                description=upsert,
                args=t.UpsertToolArgs,
                facts=("count",),
                approval_default=ApprovalDefault.ALWAYS,
                preview=partial(preview_upsert, server=self.bot.url),
                examples=(
                    {"collection": "notes", "points": [{"text": "The boiler is serviced each May."}]},
                    {"collection": "photos", "points": [{"id": 7, "vector": [0.1, 0.2], "payload": {"year": 2025}}]},
                ),
            ),
            self._tool(
                "create_collection",
                description="Make a collection on the person's Qdrant server.",
                args=t.CreateToolArgs,
                facts=("collection", "created"),
                approval_default=ApprovalDefault.ALWAYS,
                preview=partial(preview_create, server=self.bot.url),
                examples=({"collection": "notes"}, {"collection": "photos", "size": 512, "distance": "Dot"}),
            ),
        )

    def render(self, result: StepResult, _zone: ZoneInfo) -> Rendered | None:
        match result.action:
            case "search":
                return showed(result, matches(result.data))
            case "health_check":
                return showed(result, health_text(result.data))
            case _:
                return None

    def roles(self) -> Mapping[str, ToolMetadata]:
        return {f"bot_qdrant_{name}": roles for name, roles in _ROLES.items()}

    def _tool(self, operation: str, **told: Any) -> ToolSpec:
        handler = through(self.remote, operation, timeout_ms=self.timeout_ms)
        return remote_tool(self.remote, self.channel, operation, contract_version=VERSION, handler=handler, **told)

    def _collections(self) -> str:
        """Return what the planner needs to know of the settings to name a collection."""
        if not self.bot.text_collections:
            return ""
        return f" Collections that take texts: {', '.join(self.bot.text_collections)}."
