"""The stand-in of the demo answers as the real Prometheus does, and both as the description of its API says."""

from collections.abc import AsyncGenerator
from typing import Any

import aiohttp
import pytest

from butler_demo.prometheus.server import PrometheusServer
from tests.modules.prometheus.history import History
from tests.modules.prometheus.wire import check
from tests.services.prometheus import SIGNED_IN, Prometheus

pytestmark = pytest.mark.services

CPU = "instance:node_cpu_utilisation:rate5m"


@pytest.fixture
async def stand_in(history: History) -> AsyncGenerator[PrometheusServer]:
    server = PrometheusServer(now=lambda: history.now)
    server.add(history.gauges())
    await server.start()
    yield server
    await server.stop()


async def ask(root: str, path: str, parameters: dict[str, str]) -> tuple[int, dict[str, Any]]:
    async with (
        aiohttp.ClientSession(headers=SIGNED_IN) as session,
        session.post(f"{root}/api/v1/{path}", data=parameters) as response,
    ):
        body = await response.json()
        check(response.status, body)
        return response.status, body


def comparable(answer: tuple[int, dict[str, Any]]) -> tuple[Any, ...]:
    """What has to be the same: not the order of series, nor the words of a refusal."""
    status, body = answer
    if body["status"] == "error":
        return status, body["errorType"]
    data = body["data"]
    result = data["result"]
    if data["resultType"] in {"vector", "matrix"}:
        result = sorted(result, key=lambda one: sorted(one["metric"].items()))
    return status, data["resultType"], result


INSTANT = [
    {"query": CPU},
    {"query": "node_load1{}"},
    {"query": " node_load1 { instance != 'nas' , job=`node` } "},
    {"query": '{__name__=~"node_memory_.*"}'},
    {"query": '{__name__="many", instance=~"host-0[1-3]"}'},
    {"query": 'many{instance!~"host-.*"}'},
    {"query": 'many{instance=~"host"}'},
    {"query": 'boiler_celsius{instance=""}'},
    {"query": 'node_load1{instance="n\\u0075c"}'},
    {"query": "odd"},
    {"query": "nothing_of_the_kind"},
    {"query": "42"},
    {"query": "-1.5e3"},
    {"query": "boiler_celsius", "time": "-1800"},
    {"query": "boiler_celsius", "time": "-2900"},
    {"query": "node_load1", "time": "-7199"},
    {"query": "node_load1", "time": "-9000"},
    {"query": ""},
    {},
    {"query": "{}"},
    {"query": '{instance=~".*"}'},
    {"query": 'node_load1{instance=~"("}'},
    {"query": "node_load1{"},
    {"query": "node_load1", "time": "yesterday"},
]
HOUR = {"start": "-3600", "end": "-0"}
RANGE = [
    {"query": CPU, "step": "15", **HOUR},
    {"query": CPU, "step": "90", **HOUR},
    {"query": "many", "step": "600", **HOUR},
    {"query": "boiler_celsius", "step": "60", **HOUR},
    {"query": "odd", "step": "7", "start": "-60", "end": "-0"},
    {"query": "3", "step": "1200", **HOUR},
    {"query": CPU, "step": "15", "start": "-0", "end": "-0"},
    {"query": CPU, "step": "60.5", "start": "-9000", "end": "-7000"},
    {"query": CPU, "step": "15", "start": "-0", "end": "-3600"},
    {"query": CPU, "step": "0", **HOUR},
    {"query": CPU, "step": "-5", **HOUR},
    {"query": CPU, "step": "often", **HOUR},
    {"query": CPU, **HOUR},
    {"query": CPU, "step": "15", "end": "-0"},
    {"query": CPU, "step": "15", "start": "-3600"},
    {"query": CPU, "step": "0.3", **HOUR},
    {"query": "", "step": "15", **HOUR},
]


def at_times(parameters: dict[str, str], history: History) -> dict[str, str]:
    """Moments that begin with a minus are seconds before the end of the history."""
    return {
        name: f"{history.now.timestamp() - float(value[1:]):.3f}"
        if name in {"time", "start", "end"} and value.startswith("-")
        else value
        for name, value in parameters.items()
    }


@pytest.mark.parametrize("parameters", INSTANT, ids=lambda each: " ".join(each.values()) or "nothing")
async def test_values_of_a_moment_are_the_same(
    parameters: dict[str, str], prometheus: Prometheus, stand_in: PrometheusServer, history: History
) -> None:
    sent = at_times({"time": "-0", **parameters}, history)
    real = comparable(await ask(prometheus.url, "query", sent))
    assert comparable(await ask(stand_in.url, "query", sent)) == real


@pytest.mark.parametrize("parameters", RANGE, ids=lambda each: " ".join(each.values()))
async def test_values_over_time_are_the_same(
    parameters: dict[str, str], prometheus: Prometheus, stand_in: PrometheusServer, history: History
) -> None:
    sent = at_times(parameters, history)
    real = comparable(await ask(prometheus.url, "query_range", sent))
    assert comparable(await ask(stand_in.url, "query_range", sent)) == real


async def test_what_the_stand_in_does_not_know_is_refused_as_prometheus_refuses(stand_in: PrometheusServer) -> None:
    status, body = await ask(stand_in.url, "query", {"query": "rate(node_cpu_seconds_total[5m])"})
    assert (status, body["errorType"]) == (400, "bad_data")
    assert "selectors and numbers only" in body["error"]


async def test_the_demos_server_is_unusual_since_its_backup_began(stand_in: PrometheusServer, history: History) -> None:
    before = history.begun.timestamp() - 60
    for query, low, high in ((CPU, 0.3, 0.85), ("node_load1", 1.0, 4.0), ("instance:node_disk_busy:rate5m", 0.2, 0.9)):
        _, then = await ask(stand_in.url, "query", {"query": query, "time": str(before)})
        _, now = await ask(stand_in.url, "query", {"query": query})
        assert float(then["data"]["result"][0]["value"][1]) < low
        assert float(now["data"]["result"][0]["value"][1]) > high
    _, disk = await ask(stand_in.url, "query", {"query": "instance:node_filesystem_usage:ratio"})
    assert disk["data"]["result"][0]["value"][1] == "0.83"
