"""A picture goes with the numbers: Grafana's own where it can draw, else the butler's."""

from typing import Any

import pytest

from modules.grafana.module import GrafanaModule
from tests.adapters.faulty import FaultyProxy, Status
from tests.adapters.servers.grafana.server import png
from tests.adapters.subjects.grafana import harness, module_on
from tests.modules.grafana.test_dashboards import read


async def shown(module: GrafanaModule, **args: Any) -> tuple[dict[str, Any] | None, bytes]:
    """What the tool says of the picture, and the picture."""
    chart = (await read(module, picture=True, **args))["chart"]
    return chart, await module.context.storage.blobs.get(chart["sha256"]) if chart else b""


async def test_grafana_draws_the_one_panel_with_the_same_time_and_variables() -> None:
    async with harness() as server:
        module = module_on(server.url)
        chart, picture = await shown(
            module, uid="web", since="2026-03-02T09:00:00Z", variables={"instance": "web-1.home"}
        )
        await module.stop()
        assert picture == png(1_000, 500)
        assert chart is not None
        assert (chart["name"], chart["size"], chart["media_type"]) == ("dashboard.png", len(picture), "image/png")
        path, query = server.pictures[0]
        assert path == "/render/d-solo/web/web-servers"
        assert (query["panelId"], query["from"], query["to"]) == ("2", "1772442000000", "now")
        assert query["var-instance"] == "web-1.home"


async def test_a_whole_dashboard_is_drawn_where_several_of_its_panels_show_something() -> None:
    async with harness() as server:
        panels = server.dashboards["web"]["panels"]
        server.add("two", "Two", [panels[0], panels[0] | {"id": 5, "title": "Again"}])
        module = module_on(server.url)
        _, picture = await shown(module, uid="two")
        await module.stop()
        assert picture == png(1_000, 1_000)
        assert (server.pictures[0][0], "panelId" in server.pictures[0][1]) == ("/render/d/two/two", False)


def is_a_chart(picture: bytes) -> bool:
    return picture.startswith(b"\x89PNG") and len(picture) > 5_000


async def test_without_a_renderer_the_butler_draws_and_grafanas_excuse_is_not_shown() -> None:
    async with harness() as server:
        server.renderer = False
        module = module_on(server.url)
        chart, picture = await shown(module, uid="web")
        await module.stop()
        assert is_a_chart(picture)
        assert chart is not None
        assert server.pictures == []


@pytest.mark.parametrize("status", [404, 500, 501])
async def test_a_renderer_that_fails_costs_nothing_but_its_picture(status: int) -> None:
    async with harness() as server, FaultyProxy(server.url) as proxy:
        module = module_on(proxy.url)
        with proxy.broken(Status(status), only=lambda request: request.path.startswith("/render")):
            _, picture = await shown(module, uid="web")
        with proxy.broken(Status(200, b"<html>"), only=lambda request: request.path.startswith("/render")):
            _, again = await shown(module, uid="web")
        await module.stop()
        assert is_a_chart(picture)
        assert is_a_chart(again)


async def test_grafana_is_not_asked_to_draw_where_the_settings_say_so() -> None:
    async with harness() as server:
        module = module_on(server.url, render=False)
        _, picture = await shown(module, uid="web")
        await module.stop()
        assert is_a_chart(picture)
        assert server.pictures == []


async def test_there_is_no_picture_of_texts_of_lists_or_where_none_is_wanted() -> None:
    async with harness() as server:
        module = module_on(server.url)
        assert (await shown(module, uid="web", panel="notes"))[0] is None
        assert (await shown(module))[0] is None
        assert (await read(module, uid="web", picture=False))["chart"] is None
        await module.stop()
        assert server.pictures == []
