"""Dashboards of Grafana are found by words and read with their own time and variables, as numbers and as a picture."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from typing import Any

import pytest

from butler.adapters.catalogue import catalogue_of
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.tools import ToolCall
from butler.registry import Registry
from modules.grafana.integration_grafana import GrafanaIntegration
from modules.grafana.module import TOOL, GrafanaModule, QueryDashboardArgs
from tests.adapters.faulty import FaultyProxy, Status
from tests.adapters.servers.grafana.server import GrafanaServer, Json, QueryError, frame
from tests.adapters.subjects.grafana import PANELS, START, harness, module_on


@pytest.fixture
async def server() -> AsyncIterator[GrafanaServer]:
    async with harness() as server:
        yield server


@pytest.fixture
async def module(server: GrafanaServer) -> AsyncIterator[GrafanaModule]:
    module = module_on(server.url)
    yield module
    await module.stop()


async def asked(module: GrafanaModule, **args: Any) -> IntegrationResult:
    integration = module.integrations()[0]
    assert isinstance(integration, GrafanaIntegration)
    registry = Registry(catalogue_of(integration.contract("1.0.0")))
    registry.add_module(module)
    made = QueryDashboardArgs.model_validate({"picture": False} | args)
    return await registry.invoke(ToolCall(tool=TOOL, args=made, call_id="c1", trace_id="t1"))


async def read(module: GrafanaModule, **args: Any) -> dict[str, Any]:
    result = await asked(module, **args)
    assert result.data is not None, result.error
    return result.data


async def test_a_dashboard_is_found_by_words_and_read(server: GrafanaServer, module: GrafanaModule) -> None:
    data = await read(module, dashboard="web servers")
    assert data["dashboard"] == {"uid": "web", "title": "Web servers", "url": f"{server.url}/d/web/web-servers"}
    load, notes = data["panels"]
    assert (load["panel_id"], load["title"], load["kind"], load["unit"]) == (2, "Load", "timeseries", "short")
    assert [series["name"] for series in load["series"]] == ["web-1", "web-2"]
    assert load["series"][0]["labels"] == {"instance": "web-1"}
    assert load["series"][0]["points"][0] == ["2026-03-02T09:00:00Z", 0.5]
    assert [value for _, value in load["series"][0]["points"]] == [0.5, 0.75, None, 4.5]
    assert (notes["series"], notes["text"]) == ([], "Call Bob at **night**.")
    assert data["complete"] is True


async def test_words_in_another_order_find_it_too(module: GrafanaModule) -> None:
    assert (await read(module, dashboard="servers WEB"))["dashboard"]["uid"] == "web"


async def test_several_that_fit_are_listed_and_none_is_read(server: GrafanaServer, module: GrafanaModule) -> None:
    server.add("web2", "Web servers at work", [])
    data = await read(module, dashboard="servers")
    assert data["dashboard"] is None
    assert [one["uid"] for one in data["dashboards"]] == ["web", "web2"]
    assert data["dashboards"][0]["folder"] == "Home"
    assert server.queries == []


async def test_just_this_title_goes_before_others_that_hold_it(server: GrafanaServer, module: GrafanaModule) -> None:
    server.add("web2", "Web servers at work", [])
    assert (await read(module, dashboard="Web Servers"))["dashboard"]["uid"] == "web"


async def test_what_there_is_is_listed_where_nothing_fits_or_nothing_is_said(module: GrafanaModule) -> None:
    for words in ("", "kitchen"):
        data = await read(module, dashboard=words)
        assert [one["title"] for one in data["dashboards"]] == ["Database", "Web servers"]
        assert data["dashboard"] is None


async def test_a_panel_is_picked_by_words_and_others_are_not_asked(
    server: GrafanaServer, module: GrafanaModule
) -> None:
    data = await read(module, dashboard="web servers", panel="notes")
    assert [panel["title"] for panel in data["panels"]] == ["Notes"]
    assert server.queries == []
    missing = await asked(module, dashboard="web servers", panel="humidity")
    assert missing.error is not None
    assert missing.error.code is IntegrationErrorCode.NOT_FOUND


async def test_panels_in_folded_rows_are_found(server: GrafanaServer, module: GrafanaModule) -> None:
    server.add("rows", "Rows", [{"id": 9, "title": "Row", "type": "row", "panels": PANELS}])
    assert [panel["title"] for panel in (await read(module, uid="rows"))["panels"]] == ["Load", "Notes"]


async def test_the_dashboards_own_time_is_asked_for_unless_another_is_said(
    server: GrafanaServer, module: GrafanaModule
) -> None:
    server.dashboards["web"]["time"] = {"from": "now-2h", "to": "now"}
    await read(module, uid="web", max_points=120)
    sent = server.queries[-1]
    assert (sent["from"], sent["to"]) == ("now-2h", "now")
    assert (sent["queries"][0]["intervalMs"], sent["queries"][0]["maxDataPoints"]) == (60_000, 120)
    await read(module, uid="web", since=START, before=datetime(2026, 3, 2, 10, tzinfo=UTC), max_points=60)
    sent = server.queries[-1]
    assert (sent["from"], sent["to"]) == ("1772442000000", "1772445600000")
    assert sent["queries"][0]["intervalMs"] == 60_000


async def test_a_moment_without_a_zone_is_the_persons(server: GrafanaServer, module: GrafanaModule) -> None:
    await read(module, uid="web", since="2026-07-01T09:00:00")
    assert server.queries[-1]["from"] == str(round(datetime(2026, 7, 1, 8, tzinfo=UTC).timestamp() * 1_000))


async def test_stored_values_of_variables_go_into_queries_and_chosen_ones_in_their_place(
    server: GrafanaServer, module: GrafanaModule
) -> None:
    await read(module, uid="web")
    assert server.queries[-1]["queries"][0]["expr"] == r'node_load1{instance=~"(web-1\\.home|web-2\\.home)"}'
    await read(module, uid="web", variables={"instance": "web-2.home"})
    assert server.queries[-1]["queries"][0]["expr"] == r'node_load1{instance=~"web-2\\.home"}'


async def test_a_query_goes_where_it_says_or_its_panel_says_or_to_the_default(
    server: GrafanaServer, module: GrafanaModule
) -> None:
    server.add_source("loki", "Logs", "loki", lambda _query, _body: [])
    mixed: Json = {
        "id": 1,
        "title": "Mixed",
        "type": "timeseries",
        "datasource": {"uid": "-- Mixed --", "type": "datasource"},
    }
    mixed["targets"] = [{"refId": "A", "datasource": {"uid": "loki", "type": "loki"}}, {"refId": "B"}]
    by_name = {"id": 2, "title": "Named", "type": "timeseries", "datasource": "Logs", "targets": [{"refId": "A"}]}
    variable = {"name": "ds", "type": "datasource", "current": {"value": "loki"}}
    by_variable: Json = {"id": 3, "title": "Var", "type": "timeseries", "datasource": {"uid": "${ds}"}, "targets": [{}]}
    server.add("mixed", "Mixed", [mixed, by_name, by_variable], templating={"list": [variable]})
    await read(module, uid="mixed")
    sent = [[query["datasource"]["uid"] for query in body["queries"]] for body in server.queries]
    assert sorted(sent) == [["loki"], ["loki"], ["loki", "prom"]]


async def test_one_panel_that_fails_says_why_and_the_others_are_read(
    server: GrafanaServer, module: GrafanaModule
) -> None:
    def refuse(_query: Json, _body: Json) -> list[Json]:
        raise QueryError("parse error: unexpected end of input")

    server.add_source("bad", "Bad", "prometheus", refuse)
    bad = {"id": 7, "title": "Bad", "type": "stat", "datasource": {"uid": "bad"}, "targets": [{"refId": "A"}]}
    server.add("both", "Both", [PANELS[0], bad])
    data = await read(module, uid="both")
    assert data["complete"] is False
    assert len(data["panels"][0]["series"]) == 2
    assert "parse error" in data["panels"][1]["text"]
    server.add("one", "One", [bad])
    failed = await asked(module, uid="one")
    assert failed.error is not None
    assert failed.error.code is IntegrationErrorCode.INVALID_INPUT


@pytest.mark.parametrize("multi_status", [False, True])
async def test_what_a_panel_reads_is_shown_although_another_query_of_it_fails(
    server: GrafanaServer, module: GrafanaModule, multi_status: bool
) -> None:
    def refuse(_query: Json, _body: Json) -> list[Json]:
        raise QueryError("parse error: unexpected end of input")

    server.multi_status = multi_status
    server.add_source("bad", "Bad", "prometheus", refuse)
    targets = [{"refId": "A", "datasource": {"uid": "bad"}}, {"refId": "B", "datasource": {"uid": "prom"}}]
    server.add("half", "Half", [{"id": 1, "title": "Half", "type": "timeseries", "targets": targets}])
    data = await read(module, uid="half")
    assert [series["name"] for series in data["panels"][0]["series"]] == ["web-1", "web-2"]
    assert data["panels"][0]["text"] == "parse error: unexpected end of input"
    assert data["complete"] is False


async def test_a_query_that_only_others_are_made_of_is_sent_and_not_shown(
    server: GrafanaServer, module: GrafanaModule
) -> None:
    targets = [{"refId": "A", "hide": True}, {"refId": "B", "datasource": {"uid": "prom"}}]
    panel = {"id": 1, "title": "Sum", "type": "timeseries", "datasource": {"uid": "prom"}, "targets": targets}
    server.add("sum", "Sum", [panel])
    data = await read(module, uid="sum")
    assert [query["refId"] for query in server.queries[-1]["queries"]] == ["A", "B"]
    assert len(data["panels"][0]["series"]) == 2


async def test_tables_single_numbers_and_log_lines_are_read_as_text(
    server: GrafanaServer, module: GrafanaModule
) -> None:
    at = round(START.timestamp() * 1_000)
    fields = [{"name": "host", "type": "string"}, {"name": "free", "type": "number"}]
    table = {"schema": {"fields": fields}, "data": {"values": [["web-1", "web-2"], [12, 3.5]]}}
    lines = [{"name": "Time", "type": "time"}, {"name": "Line", "type": "string"}]
    logs = {"schema": {"fields": lines}, "data": {"values": [[at], ["disk  is\nfull"]]}}
    server.add_source("tables", "Tables", "mysql", lambda _query, _body: [table, logs])
    panel = {"id": 1, "title": "T", "type": "table", "datasource": {"uid": "tables"}, "targets": [{"refId": "A"}]}
    server.add("t", "T", [panel])
    shown = (await read(module, uid="t"))["panels"][0]
    assert shown["series"] == []
    assert shown["text"].splitlines() == [
        "web-1 | free: 12",
        "web-2 | free: 3.5",
        "2026-03-02T09:00:00+00:00 | disk is full",
    ]


async def test_a_long_frame_is_told_apart_by_its_texts(server: GrafanaServer, module: GrafanaModule) -> None:
    at = round(START.timestamp() * 1_000)
    fields = [{"name": "t", "type": "time"}, {"name": "host", "type": "string"}, {"name": "load", "type": "number"}]
    long = {"schema": {"fields": fields}, "data": {"values": [[at, at, at + 1], ["a", "b", "a"], [1, 2, 3]]}}
    server.add_source("sql", "SQL", "postgres", lambda _query, _body: [long])
    panel = {"id": 1, "title": "T", "type": "graph", "datasource": {"uid": "sql"}, "targets": [{"refId": "A"}]}
    server.add("t", "T", [panel])
    series = (await read(module, uid="t"))["panels"][0]["series"]
    assert [(one["labels"], [value for _, value in one["points"]]) for one in series] == [
        ({"host": "a"}, [1.0, 3.0]),
        ({"host": "b"}, [2.0]),
    ]


async def test_more_series_than_are_shown_are_told_of(server: GrafanaServer, module: GrafanaModule) -> None:
    server.answers["prom"] = lambda _query, _body: [frame([1], [n], name=str(n)) for n in range(60)]
    data = await read(module, uid="web")
    assert len(data["panels"][0]["series"]) == 50
    assert data["complete"] is False


@pytest.mark.parametrize(
    "args",
    [
        {"uid": "web/../../admin"},
        {"variables": {"instance": '"} or vector(1) #'}},
        {"variables": {"a b": "1"}},
        {"max_points": 1_000_000},
    ],
)
async def test_what_could_steer_a_request_is_refused_before_it(server: GrafanaServer, args: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="validation error"):
        QueryDashboardArgs.model_validate(args)
    assert server.requests == 0


async def test_an_end_before_the_beginning_is_refused(server: GrafanaServer, module: GrafanaModule) -> None:
    result = await asked(module, uid="web", since="2026-03-02T10:00:00Z", before="2026-03-02T09:00:00Z")
    assert result.error is not None
    assert (result.error.code, server.requests) == (IntegrationErrorCode.INVALID_INPUT, 0)


async def test_without_a_token_nothing_is_asked_and_the_variable_is_named(server: GrafanaServer) -> None:
    module = module_on(server.url, token="")
    result = await asked(module, uid="web")
    assert result.error is not None
    assert (result.error.code, server.requests) == (IntegrationErrorCode.AUTH_REQUIRED, 0)
    assert "BUTLER_GRAFANA_TOKEN" in result.error.message
    check = (await module.checks())[0]
    assert (check.ok, "connect-grafana.md" in check.todo) == (False, True)


async def test_doctor_says_which_grafana_it_is(server: GrafanaServer, module: GrafanaModule) -> None:
    check = (await module.checks())[0]
    assert (check.ok, check.detail) == (True, f"{server.url.removeprefix('http://')}: Grafana 12.1.0")


async def test_a_panel_may_be_refused_while_the_dashboard_may_be_read(server: GrafanaServer) -> None:
    async with FaultyProxy(server.url) as proxy:
        module = module_on(proxy.url)
        refusal = Status(403, {"message": "You'll need additional permissions to perform this action."})
        with proxy.broken(refusal, only=lambda request: request.path == "/api/ds/query"):
            result = await asked(module, uid="web")
        await module.stop()
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.FORBIDDEN
