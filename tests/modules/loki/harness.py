"""The module on a Loki of ours, behind a proxy that can be at fault; asked as the butler asks it."""

from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from butler.adapters.catalogue import catalogue_of
from butler.contract.integration import IntegrationCall, IntegrationResult
from butler.contract.tools import ToolCall, ToolSpec
from butler.registry import Registry
from butler_demo.loki import nuc
from butler_demo.loki.server import LokiServer
from butler_demo.loki.stream import Recurring, Stream
from butler_demo.prometheus.nuc import BEGUN_BEFORE
from modules.loki.args import TOOL
from modules.loki.config import LokiModuleSettings
from modules.loki.integration_loki import LokiIntegration
from modules.loki.module import LokiModule
from modules.loki.records import QUERY
from tests.adapters.faulty import FaultyProxy
from tests.adapters.servers.loki.description import LOKI
from tests.support.context import TurnedClock, make_context

NOW = datetime(2026, 11, 28, 22, 0, tzinfo=UTC)
"""17:00 where the person is."""
BEGUN = NOW - BEGUN_BEFORE
ZONE = ZoneInfo("America/New_York")
TENANT, TOKEN = "home", "a-token-of-the-tests"
VARIABLE = "BUTLER_LOKI_TOKEN"


class FixedClock(TurnedClock):
    """A clock that stands."""

    def now(self) -> datetime:
        return NOW


@dataclass(frozen=True, slots=True)
class Harness:
    """A module with its registry, its server and the proxy between them."""

    module: LokiModule
    integration: LokiIntegration
    registry: Registry
    server: LokiServer
    proxy: FaultyProxy

    @property
    def spec(self) -> ToolSpec:
        return self.registry.spec(TOOL)

    async def ask(self, *, dry_run: bool = False, **args: Any) -> IntegrationResult:
        """Call the tool."""
        known = self.spec.args.model_validate(args)
        return await self.registry.invoke(ToolCall(tool=TOOL, args=known, call_id="c", trace_id="t", dry_run=dry_run))

    async def told(self, **args: Any) -> dict[str, Any]:
        """What the tool gives; it has to work."""
        result = await self.ask(**args)
        assert result.data is not None, result.error
        return result.data

    async def query(self, **args: Any) -> IntegrationResult:
        """Call the operation itself, once."""
        return await self.integration.call(IntegrationCall(trace_id="t", method_id=QUERY, args=args, timeout_ms=10_000))


@asynccontextmanager
async def harness(
    streams: Iterable[Stream] | None = None, *, token: str = TOKEN, zone: ZoneInfo = ZONE, **bot: Any
) -> AsyncGenerator[Harness]:
    """The demo's logs, or others; the module signs in with `token`."""
    server = LokiServer(now=lambda: NOW, tenant=TENANT, token=TOKEN)
    server.add(nuc.streams(BEGUN) if streams is None else streams)
    await server.start()
    context = make_context(secrets={VARIABLE: token}, clock=FixedClock(), zone=zone)
    try:
        async with FaultyProxy(server.url, LOKI) as proxy:
            section = {"url": proxy.url, "token_env": VARIABLE, "tenant": TENANT, "signal": list(nuc.SIGNALS)}
            module = LokiModule(LokiModuleSettings.model_validate({"bot": {**section, **bot}}), context)
            (integration,) = module.integrations()
            assert isinstance(integration, LokiIntegration)
            registry = Registry(catalogue_of(integration.contract("1.0.0")))
            registry.add_module(module)
            assert not registry.refusals
            yield Harness(module, integration, registry, server, proxy)
            await module.stop()
    finally:
        await server.stop()


def stream(*lines: tuple[float, str], **labels: str) -> Stream:
    """A stream of lines, each so many seconds before the end."""
    return Stream(
        {"job": "test", **labels},
        tuple(Recurring(NOW.timestamp() - before, lambda _, text=text: text) for before, text in lines),
    )
