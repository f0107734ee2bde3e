"""Prometheus for the conformance suite: a real one, with a proxy before it that can be at fault."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass

from modules.prometheus.integration_prometheus import PrometheusIntegration
from modules.prometheus.module import PrometheusModule
from tests.adapters.faulty import FaultyProxy
from tests.adapters.subject import Drive, Fault
from tests.modules.prometheus.harness import harness_on
from tests.modules.prometheus.history import History
from tests.services.prometheus import PASSWORD, SIGNED_IN, Prometheus


@dataclass(slots=True)
class PrometheusSubject:
    """Meets `Subject`."""

    module: PrometheusModule
    integration: PrometheusIntegration
    proxy: FaultyProxy
    secrets = (PASSWORD, SIGNED_IN["Authorization"].removeprefix("Basic "))
    drives = (Drive("query_metrics", {"query": "up"}),)

    async def state(self) -> str:
        return "nothing can be changed"

    async def calls(self) -> int:
        return self.proxy.requests

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        return self.proxy.fault(fault)


@asynccontextmanager
async def subject() -> AsyncGenerator[PrometheusSubject]:
    """A server with a short history."""
    history = History.until_now()
    up = ({"__name__": "up", "instance": "nuc"}, history.now.timestamp(), 1.0)
    server = await asyncio.to_thread(Prometheus, [up], guarded=True)
    try:
        async with FaultyProxy(server.url) as proxy, harness_on(proxy.url, history.now) as there:
            yield PrometheusSubject(there.module, there.integration, proxy)
    finally:
        await asyncio.to_thread(server.stop)
