"""Qdrant for the conformance suite: our stand-in, with a proxy before it that can be at fault."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Any

from modules.qdrant.integration_qdrant import QdrantIntegration
from modules.qdrant.module import QdrantModule
from tests.adapters.faulty import FaultyProxy
from tests.adapters.servers.qdrant.server import QdrantServer
from tests.adapters.subject import Drive, Fault
from tests.modules.qdrant.harness import KEY, harness

NOTE: dict[str, Any] = {"text": "The boiler is serviced each May.", "payload": {"year": 2026}}


@dataclass(slots=True)
class QdrantSubject:
    """Meets `Subject`."""

    module: QdrantModule
    integration: QdrantIntegration
    server: QdrantServer
    proxy: FaultyProxy
    secrets = (KEY,)
    drives = (
        Drive("search", {"text": "boiler"}, missing={"collection": "nowhere", "vector": [1.0]}),
        Drive(
            "upsert",
            {"collection": "notes", "points": [{"text": "Bins go out on Monday."}]},
            missing={"collection": "nowhere", "points": [{"vector": [1.0]}]},
        ),
        Drive("create_collection", {"collection": "photos", "size": 4, "distance": "Dot"}),
        Drive("health_check", {}),
    )

    async def state(self) -> frozenset[tuple[str, str]]:
        return self.server.state()

    async def calls(self) -> int:
        return self.proxy.requests

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        return self.proxy.fault(fault)


@asynccontextmanager
async def subject() -> AsyncGenerator[QdrantSubject]:
    """A server with one note."""
    async with harness() as there:
        await there.done("create_collection", {"collection": "notes"})
        await there.done("upsert", {"collection": "notes", "points": [NOTE]})
        yield QdrantSubject(there.module, there.integration, there.server, there.proxy)
