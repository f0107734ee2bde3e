"""Grafana for the conformance suite: our stand-in, with a proxy before it that can be at fault."""

from collections.abc import AsyncGenerator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from modules.grafana.config import GrafanaModuleSettings, GrafanaSettings
from modules.grafana.integration_grafana import GrafanaIntegration
from modules.grafana.module import GrafanaModule
from tests.adapters.faulty import FaultyProxy
from tests.adapters.servers.grafana.server import TOKEN, GrafanaServer, Json, frame
from tests.adapters.subject import Drive, Fault
from tests.support.context import make_context

VARIABLE = "BUTLER_GRAFANA_TOKEN"
LONDON = ZoneInfo("Europe/London")
START = datetime(2026, 3, 2, 9, tzinfo=UTC)


def load(_query: Json, _body: Json) -> list[Json]:
    """The load of two machines, a point a minute, with a gap."""
    times = [round(START.timestamp() * 1_000) + 60_000 * minute for minute in range(4)]
    return [
        frame(times, [0.5, 0.75, None, 4.5], name="web-1", labels={"instance": "web-1"}),
        frame(times, [0.25, 0.25, 0.25, 0.25], name="web-2", labels={"instance": "web-2"}),
    ]


PANELS: list[Json] = [
    {
        "id": 2,
        "title": "Load",
        "type": "timeseries",
        "datasource": {"type": "prometheus", "uid": "prom"},
        "fieldConfig": {"defaults": {"unit": "short"}},
        "targets": [{"refId": "A", "expr": 'node_load1{instance=~"$instance"}'}],
    },
    {"id": 3, "title": "Notes", "type": "text", "options": {"mode": "markdown", "content": "Call Bob at **night**."}},
]
VARIABLES: Json = {
    "list": [
        {
            "name": "instance",
            "type": "query",
            "multi": True,
            "includeAll": True,
            "current": {"text": ["All"], "value": ["$__all"]},
            "options": [{"value": "$__all"}, {"value": "web-1.home"}, {"value": "web-2.home"}],
        }
    ]
}


def harness() -> GrafanaServer:
    """A Grafana with two dashboards and one data source."""
    server = GrafanaServer()
    server.add_source("prom", "Prometheus", "prometheus", load, default=True)
    server.add("web", "Web servers", PANELS, folder="Home", templating=VARIABLES)
    server.add("db", "Database", [])
    return server


@dataclass(slots=True)
class GrafanaSubject:
    """Meets `Subject`."""

    module: GrafanaModule
    integration: GrafanaIntegration
    server: GrafanaServer
    proxy: FaultyProxy
    secrets = (TOKEN,)
    drives = (Drive("query_dashboard", {"uid": "web"}, missing={"uid": "nowhere"}),)

    async def state(self) -> str:
        return self.server.state()

    async def calls(self) -> int:
        return self.proxy.requests

    def fault(self, fault: Fault) -> AbstractAsyncContextManager[None]:
        return self.proxy.fault(fault)


def module_on(url: str, *, token: str = TOKEN, zone: ZoneInfo = LONDON, **settings: Any) -> GrafanaModule:
    """The module on a server."""
    section = GrafanaModuleSettings(bot=GrafanaSettings(url=url, **settings))
    return GrafanaModule(section, make_context(secrets={VARIABLE: token}, zone=zone))


@asynccontextmanager
async def subject() -> AsyncGenerator[GrafanaSubject]:
    async with harness() as server, FaultyProxy(server.url) as proxy:
        module = module_on(proxy.url)
        integration = module.integrations()[0]
        assert isinstance(integration, GrafanaIntegration)
        yield GrafanaSubject(module, integration, server, proxy)
        await module.stop()
