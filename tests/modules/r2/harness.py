"""The module on a bucket of SeaweedFS, as the daemon registers it."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

from butler.adapters.catalogue import catalogue_of
from butler.contract.integration import IntegrationResult
from butler.contract.tools import Attachment, ToolCall
from butler.registry import Registry
from modules.r2.config import R2ModuleSettings
from modules.r2.integration_r2 import R2Integration
from modules.r2.module import R2Module
from tests.adapters.servers.seaweed import BUTLER, Bucket, server
from tests.support.context import MemoryBlobs, TurnedClock, make_context

ACCESS_KEY, SECRET_KEY = "BUTLER_R2_ACCESS_KEY", "BUTLER_R2_SECRET_KEY"
NAMES = (ACCESS_KEY, SECRET_KEY)


@dataclass
class Harness:
    """A bucket, the module on it, and what a test does with them."""

    bucket: Bucket
    module: R2Module
    integration: R2Integration
    registry: Registry
    blobs: MemoryBlobs
    clock: TurnedClock
    secrets: dict[str, str]

    def call(self, tool: str, args: dict[str, Any], **more: Any) -> ToolCall:
        name = f"bot_r2_{tool}"
        checked = self.registry.spec(name).args.model_validate(args)
        return ToolCall(tool=name, args=checked, call_id="call-1", trace_id="trace-1", **more)

    async def invoke(self, tool: str, args: dict[str, Any], **more: Any) -> IntegrationResult:
        """Call a tool through the registry, with every gate."""
        return await self.registry.invoke(self.call(tool, args, **more))

    async def file(self, content: bytes, name: str = "papers.pdf") -> dict[str, Any]:
        """A file that the butler holds, as tools take it."""
        digest = await self.blobs.put(content)
        held = Attachment(name=name, size=len(content), sha256=digest, media_type="application/pdf")
        return held.model_dump(mode="json")

    async def put(self, content: bytes, key: str, **more: Any) -> IntegrationResult:
        return await self.invoke("put_object", {"file": await self.file(content), "key": key}, **more)


@asynccontextmanager
async def here(endpoint: str = "", bucket: Bucket | None = None, **settings: Any) -> AsyncGenerator[Harness]:
    """The module on an empty bucket; `endpoint` is that of what stands in front of the server."""
    bucket = bucket or await asyncio.to_thread(lambda: server().bucket())
    blobs, clock, secrets = MemoryBlobs(), TurnedClock(), dict(zip(NAMES, BUTLER, strict=True))
    context = make_context(secrets=secrets, blobs=blobs, clock=clock)
    section = {"endpoint": endpoint or bucket.url, "bucket": bucket.name, "timeout_s": 5, **settings}
    module = R2Module(R2ModuleSettings.model_validate({"bot": section}), context)
    (integration,) = module.integrations()
    assert isinstance(integration, R2Integration)
    registry = Registry(catalogue_of(integration.contract("1.0.0")))
    registry.add_module(module)
    assert not registry.refusals
    vault: Any = context.vault
    try:
        yield Harness(bucket, module, integration, registry, blobs, clock, vault.values)
    finally:
        await module.stop()
