"""Meilisearch for the conformance suite: our stand-in, with a proxy before it that can be at fault."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from modules.meilisearch.integration_meilisearch import MeilisearchIntegration
from modules.meilisearch.module import MeilisearchModule
from tests.adapters.faulty import FaultyProxy
from tests.adapters.servers.meilisearch.server import MeilisearchServer
from tests.adapters.subject import Drive, Fault
from tests.modules.meilisearch.harness import KEY, harness


@dataclass(slots=True)
class MeilisearchSubject:
    """Meets `Subject`."""

    module: MeilisearchModule
    integration: MeilisearchIntegration
    server: MeilisearchServer
    proxy: FaultyProxy
    secrets = (KEY,)
    drives = (Drive("search", {"query": "boiler"}, missing={"query": "boiler", "index": "nowhere"}),)

    async def state(self) -> str:
        return self.server.state()

    async def calls(self) -> int:
        return self.proxy.requests

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        return self.proxy.fault(fault)


@asynccontextmanager
async def subject() -> AsyncGenerator[MeilisearchSubject]:
    """A server with two indexes."""
    async with harness() as there:
        yield MeilisearchSubject(there.module, there.integration, there.server, there.proxy)
