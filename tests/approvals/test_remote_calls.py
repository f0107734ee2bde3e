"""Calls of remote adapters: the request that reaches the server is the one on the card."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from typing import Any

import pytest

from approvals.states import State
from butler.adapters.catalogue import load_catalogue
from butler.contract.module import Module
from butler.home_zone import HomeZone
from butler.registry import Registry
from butler_demo.prometheus import nuc
from butler_demo.prometheus.server import PrometheusServer
from tests.adapters.subjects import grafana
from tests.approvals.harness import Harness, card_text
from tests.modules.loki.harness import NOW
from tests.modules.loki.harness import harness as loki_house
from tests.modules.prometheus.harness import FixedClock, harness_on
from tests.modules.qdrant.harness import harness as qdrant_house
from tests.support.context import make_context

NINE = "2026-11-28T09:00:00"
"""The zone of the owner when the card is made; in November it agrees with UTC."""
AT_NINE = datetime(2026, 11, 28, 9, tzinfo=UTC)


ZONE = HomeZone("Europe/London")


def with_tools(harness: Harness, module: Module, *asked: str) -> None:
    """Approvals on the real tools of a module; those in `asked` always ask."""
    harness.invoker = registry = Registry(load_catalogue())  # type: ignore[assignment] - the real one
    registry.add_module(module)
    assert not registry.refusals
    harness.zone = ZONE
    ZONE.move("Europe/London")
    harness.configure(policy=[{"tool": tool, "approval": "always"} for tool in asked])


async def approved_abroad(harness: Harness, tool: str, args: dict[str, Any]) -> str:
    """Request, change the zone while the card waits, and approve; return the card's text before and after."""
    approval_id = await harness.ask(tool, args=args)
    before = card_text(harness.channel.newest)
    ZONE.move("Asia/Tokyo")
    await harness.approvals.travelled()
    await harness.run()
    after = card_text(harness.channel.newest)
    await harness.tap("Approve")
    await harness.after_undo_window()
    row = await harness.row(approval_id)
    assert row.state == State.DONE, row.detail
    return f"{before}\n{after}"


@pytest.fixture(autouse=True)
def back_home() -> None:
    ZONE.move("Europe/London")


async def test_a_point_with_a_payload_is_put_as_the_card_showed_it(harness: Harness) -> None:
    payload = {"year": 2026, "by": {"name": "Ada", "at": ["home", "work"]}, "10": True, "9": None}
    async with qdrant_house() as there:
        await there.done("create_collection", {"collection": "notes"})
        with_tools(harness, there.module)
        point = {"text": "The boiler is serviced each May.", "payload": payload}
        await harness.ask("bot_qdrant_upsert", args={"collection": "notes", "points": [point]})
        shown = card_text(harness.channel.newest)
        await harness.tap("Approve")
        await harness.after_undo_window()
        (stored,) = there.server.collections["notes"].points.values()
    assert stored.payload == {**payload, "text": point["text"]}
    assert all(line in shown for line in ("The boiler is serviced each May.", "by › name: Ada", "by › at: home, work"))


async def test_logs_are_read_by_the_labels_and_the_time_of_the_card_wherever_its_owner_is_by_then(
    harness: Harness,
) -> None:
    async with loki_house(zone=ZONE) as there:
        with_tools(harness, there.module, "bot_loki_query_logs")
        args = {"labels": {"unit": "photos.service", "job": "photos"}, "since": NINE, "before": "2026-11-28T10:00:00"}
        shown = await approved_abroad(harness, "bot_loki_query_logs", args)
        call = there.server.calls[-1]
    assert call.parameters["query"] == '{job="photos", unit="photos.service"}'
    assert call.parameters["start"] == f"{AT_NINE.timestamp():.0f}000000000"
    assert "Since: Saturday 28 November 2026 at 09:00\n" in shown
    assert "Since: Saturday 28 November 2026 at 18:00 (Asia/Tokyo)" in shown
    assert "job: photos" in shown
    assert "Order: the newest first\nAt most: 100\n" in shown
    assert "direction" not in shown


async def test_a_dashboard_is_read_with_the_variables_and_the_time_of_the_card(harness: Harness) -> None:
    async with grafana.harness() as server:
        module = grafana.module_on(server.url, zone=ZONE)
        with_tools(harness, module, "bot_grafana_query_dashboard")
        args = {"uid": "web", "variables": {"instance": "web-2.home"}, "since": NINE, "picture": False}
        shown = await approved_abroad(harness, "bot_grafana_query_dashboard", args)
        await module.stop()
    (sent,) = server.queries
    assert sent["from"] == f"{AT_NINE.timestamp():.0f}000"
    assert sent["queries"][0]["expr"] == 'node_load1{instance=~"web-2\\\\.home"}'
    assert "instance: web-2.home" in shown
    assert "Picture: no" in shown
    assert "at 18:00 (Asia/Tokyo)" in shown


async def test_a_card_names_the_dashboard_that_is_read_and_not_only_what_was_looked_for(harness: Harness) -> None:
    async with grafana.harness() as server:
        module = grafana.module_on(server.url, zone=ZONE)
        with_tools(harness, module, "bot_grafana_query_dashboard")
        await harness.ask("bot_grafana_query_dashboard", args={"dashboard": "Database", "uid": "web"})
        await module.stop()
    assert "Dashboard: Database, web" in card_text(harness.channel.newest)


async def test_numbers_are_read_for_the_time_of_the_card(harness: Harness) -> None:
    async with prometheus() as server:
        context = make_context(clock=FixedClock(NOW), zone=ZONE)
        async with harness_on(server.url, NOW, context=context, username="", password_env="") as there:
            with_tools(harness, there.module, "bot_prometheus_query_metrics")
            args = {"query": "node_load1", "since": NINE, "before": "2026-11-28T10:00:00", "step_s": 60}
            shown = await approved_abroad(harness, "bot_prometheus_query_metrics", args)
    call = server.calls[-1]
    assert float(call.parameters["start"]) == AT_NINE.timestamp()
    assert "Reads what your Prometheus has measured" in shown
    assert "Step: 60 s" in shown
    assert "Since: Saturday 28 November 2026 at 18:00 (Asia/Tokyo)" in shown


@asynccontextmanager
async def prometheus() -> AsyncGenerator[PrometheusServer]:
    server = PrometheusServer(now=lambda: NOW)
    server.add(nuc.gauges(NOW))
    await server.start()
    yield server
    await server.stop()
