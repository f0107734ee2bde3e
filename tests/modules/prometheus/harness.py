"""The module on some Prometheus, asked as the butler asks it."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from butler.adapters.catalogue import catalogue_of
from butler.contract.integration import IntegrationCall, IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.tools import ToolCall, ToolSpec
from butler.registry import Registry
from modules.prometheus.args import TOOL
from modules.prometheus.config import PrometheusModuleSettings
from modules.prometheus.integration_prometheus import PrometheusIntegration
from modules.prometheus.module import PrometheusModule
from modules.prometheus.records import QUERY
from tests.services.prometheus import PASSWORD, USER
from tests.support.context import TurnedClock, make_context

VARIABLE = "BUTLER_PROMETHEUS_PASSWORD"
ZONE = ZoneInfo("America/New_York")


class FixedClock(TurnedClock):
    """A clock that stands."""

    def __init__(self, moment: datetime) -> None:
        super().__init__()
        self._moment = moment

    def now(self) -> datetime:
        return self._moment


@dataclass(frozen=True, slots=True)
class Harness:
    """A module with its registry."""

    module: PrometheusModule
    integration: PrometheusIntegration
    registry: Registry
    context: ModuleContext

    @property
    def spec(self) -> ToolSpec:
        return self.registry.spec(TOOL)

    async def ask(self, *, dry_run: bool = False, **args: Any) -> IntegrationResult:
        """Call the tool."""
        known = self.spec.args.model_validate(args)
        return await self.registry.invoke(ToolCall(tool=TOOL, args=known, call_id="c", trace_id="t", dry_run=dry_run))

    async def query(self, **args: Any) -> IntegrationResult:
        """Call the operation itself, once."""
        return await self.integration.call(IntegrationCall(trace_id="t", method_id=QUERY, args=args, timeout_ms=10_000))

    async def data(self, **args: Any) -> dict[str, Any]:
        """What the operation gives; it has to work."""
        result = await self.query(**args)
        assert result.data is not None, result.error
        return result.data


@asynccontextmanager
async def harness_on(
    url: str, now: datetime, *, password: str = PASSWORD, context: ModuleContext | None = None, **bot: Any
) -> AsyncGenerator[Harness]:
    """The module on the server at `url`, signed in by name and password unless `bot` says otherwise."""
    signing = {"username": USER, "password_env": VARIABLE} if "token_env" not in bot else {}
    context = context or make_context(secrets={VARIABLE: password}, clock=FixedClock(now), zone=ZONE)
    settings = PrometheusModuleSettings.model_validate({"bot": {"url": url, "timeout_s": 10, **signing, **bot}})
    module = PrometheusModule(settings, context)
    (integration,) = module.integrations()
    assert isinstance(integration, PrometheusIntegration)
    registry = Registry(catalogue_of(integration.contract("1.0.0")))
    registry.add_module(module)
    assert not registry.refusals
    yield Harness(module, integration, registry, context)
    await module.stop()
