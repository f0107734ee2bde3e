"""Loki for the conformance suite: our stand-in, with a proxy before it that can be at fault."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from modules.loki.integration_loki import LokiIntegration
from modules.loki.module import LokiModule
from tests.adapters.faulty import FaultyProxy
from tests.adapters.subject import Drive, Fault
from tests.modules.loki.harness import TOKEN, harness


@dataclass(slots=True)
class LokiSubject:
    """Meets `Subject`."""

    module: LokiModule
    integration: LokiIntegration
    proxy: FaultyProxy
    secrets = (TOKEN,)
    drives = (Drive("query_logs", {"query": '{unit="backup.service"}', "limit": 5}),)

    async def state(self) -> str:
        return "nothing can be changed"

    async def calls(self) -> int:
        return self.proxy.requests

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        return self.proxy.fault(fault)


@asynccontextmanager
async def subject() -> AsyncGenerator[LokiSubject]:
    """The logs of the demo's server."""
    async with harness() as there:
        yield LokiSubject(there.module, there.integration, there.proxy)
