"""`bot_prometheus_query_metrics` on the demo's server: signals by name, the person's times, words and a chart."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.errors import IntegrationErrorCode as Code
from butler.contract.names import ApprovalDefault, Direction
from butler.contract.provenance import Trust
from butler.contract.tools import Attachment
from butler.orchestrator.results.facts import labels_of
from butler_demo.prometheus import nuc
from butler_demo.prometheus.server import PrometheusServer
from modules._charts import drawing
from modules.prometheus.args import QueryMetricsArgs
from modules.prometheus.config import PrometheusModuleSettings
from modules.prometheus.module import PrometheusModule
from modules.prometheus.readings import readings
from tests.modules.prometheus.harness import Harness, harness_on
from tests.support.context import MemoryBlobs, make_context

NOW = datetime(2026, 11, 28, 22, 0, tzinfo=UTC)
"""17:00 where the person is."""


@pytest.fixture
async def harness() -> AsyncGenerator[Harness]:
    server = PrometheusServer(now=lambda: NOW)
    server.add(nuc.gauges(NOW - nuc.BEGUN_BEFORE))
    await server.start()
    async with harness_on(server.url, NOW, token_env="", default_signals=False, signal=list(nuc.SIGNALS)) as harness:
        yield harness
    await server.stop()


async def told(harness: Harness, **args: Any) -> dict[str, Any]:
    result = await harness.ask(**args)
    assert result.data is not None, result.error
    return result.data


async def test_a_signal_is_told_over_the_last_hour_with_a_chart(harness: Harness) -> None:
    data = await told(harness, signal="cpu")
    assert (data["signal"], data["title"], data["unit"], data["high"]) == ("cpu", "CPU use", "ratio", 0.85)
    assert (data["query"], data["kind"]) == (nuc.CPU, "range")
    assert (data["since"], data["before"]) == ("2026-11-28T21:00:00Z", "2026-11-28T22:00:00Z")
    chart = Attachment.model_validate(data["chart"])
    assert isinstance(harness.context.storage.blobs, MemoryBlobs)
    png = harness.context.storage.blobs.data[chart.sha256]
    assert (chart.media_type, chart.size) == ("image/png", len(png))
    assert png.startswith(b"\x89PNG")


async def test_what_is_unusual_is_said_and_since_when(harness: Harness) -> None:
    (cpu,) = (await told(harness, signal="cpu"))["readings"]
    assert (cpu["name"], cpu["unusual"]) == ("nuc", True)
    since = datetime.fromisoformat(cpu["unusual_since"])
    assert abs(since - (NOW - nuc.BEGUN_BEFORE)) < timedelta(minutes=4)
    assert cpu["last_text"].endswith(" %")
    (memory,) = (await told(harness, signal="memory"))["readings"]
    assert (memory["unusual"], memory["unusual_since"]) == (False, None)


async def test_times_are_the_persons_own(harness: Harness) -> None:
    data = await told(
        harness, query="node_load1", since="2026-11-28T14:00:00", before="2026-11-28T16:30:00", step_s=300
    )
    assert (data["since"], data["before"]) == ("2026-11-28T19:00:00Z", "2026-11-28T21:30:00Z")
    assert (data["signal"], data["title"], data["step_s"], data["high"]) == ("", "node_load1", 300.0, None)
    data = await told(harness, query="node_load1", before="2026-11-28T16:30:00")
    assert (data["since"], data["before"]) == ("2026-11-28T20:30:00Z", "2026-11-28T21:30:00Z")


async def test_values_of_one_moment_have_no_chart(harness: Harness) -> None:
    data = await told(harness, signal="disk", instant=True)
    assert (data["kind"], data["chart"]) == ("instant", None)
    assert [reading["last_text"] for reading in data["readings"]] == ["83 %"]


async def test_where_nothing_was_measured_there_is_no_chart(harness: Harness) -> None:
    data = await told(harness, query="nothing_of_the_kind")
    assert (data["series"], data["readings"], data["chart"]) == ([], [], None)


async def test_without_matplotlib_the_values_come_all_the_same(
    harness: Harness, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drawing, "available", lambda: False)
    data = await told(harness, signal="cpu")
    assert data["chart"] is None
    assert data["warnings"] == [drawing.MISSING]
    assert data["readings"]
    _, charts = await harness.module.checks()
    assert (charts.ok, charts.detail) == (False, drawing.MISSING)


async def test_a_signal_that_there_is_not_is_answered_with_those_there_are(harness: Harness) -> None:
    result = await harness.ask(signal="cpus")
    assert result.error is not None
    assert result.error.code is Code.INVALID_INPUT
    known = "cpu, memory, disk, disk_io, load, latency, errors"
    assert result.error.message == f"there is no signal cpus; there are {known}"


async def test_a_dry_run_asks_nothing(harness: Harness) -> None:
    result = await harness.ask(signal="cpu", dry_run=True)
    assert result.ok
    assert result.data is not None
    assert result.data["dry_run"] is True
    assert isinstance(harness.context.storage.blobs, MemoryBlobs)
    assert harness.context.storage.blobs.data == {}


async def test_what_a_server_says_is_nobodys_word(harness: Harness) -> None:
    labels = labels_of(harness.spec, await told(harness, signal="cpu"))
    assert {origin.trust for origin in labels} == {Trust.UNTRUSTED}


async def test_the_tool_reads_and_names_its_signals(harness: Harness) -> None:
    assert (harness.spec.direction, harness.spec.approval_default) == (Direction.INPUT, ApprovalDefault.NONE)
    assert "cpu (CPU use), memory (Memory use)" in harness.spec.description


@pytest.mark.parametrize(
    "args",
    [
        {},
        {"signal": "cpu", "query": "up"},
        {"query": "  "},
        {"signal": "cpu", "instant": True, "since": "2026-11-28T14:00:00"},
        {"signal": "cpu", "since": "2026-11-28T14:00:00+00:00"},
        {"signal": "cpu", "step_s": 0},
        {"signal": "cpu", "more": 1},
    ],
)
def test_arguments_that_cannot_be_meant_are_refused(args: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        QueryMetricsArgs.model_validate(args)


def test_a_signal_of_ones_own_stands_in_the_place_of_a_default_one() -> None:
    own = {"name": "cpu", "query": "my_cpu", "high": 0.5}
    settings = PrometheusModuleSettings.model_validate({"bot": {"url": "https://p.example", "signal": [own]}})
    assert settings.bot is not None
    signals = settings.bot.signals()
    assert (signals["cpu"].query, signals["memory"].unit) == ("my_cpu", "ratio")
    assert list(signals) == ["cpu", "memory", "disk", "disk_io", "load", "network", "down", "errors"]


def test_a_module_that_is_switched_off_has_no_tools() -> None:
    for section in ({}, {"bot": {"url": "https://p.example", "enabled": False}}):
        module = PrometheusModule(PrometheusModuleSettings.model_validate(section), make_context())
        assert (module.bot_inputs(), module.tool_metadata(), module.integrations()) == ((), {}, ())


def series(name: str, *values: float | None) -> dict[str, Any]:
    return {"name": name, "points": [[f"2026-11-28T22:0{n}:00Z", value] for n, value in enumerate(values)]}


def test_unusual_is_what_is_so_now_and_goes_back_to_the_last_time_it_was_not() -> None:
    found = readings(
        [
            series("over", 9, 1, 1),
            series("now", 9, 1, None, 9, 9),
            series("always", 9, 9),
            series("just", 1, 5),
            series("never"),
            series("unmeasured", None, None),
        ],
        "",
        5.0,
    )
    assert [(one["name"], one["unusual"], one["unusual_since"]) for one in found] == [
        ("now", True, "2026-11-28T22:03:00Z"),
        ("always", True, "2026-11-28T22:00:00Z"),
        ("just", True, "2026-11-28T22:01:00Z"),
        ("over", False, None),
    ]
    assert [one["highest_at"] for one in found if one["name"] == "over"] == ["2026-11-28T22:00:00Z"]


def test_without_a_limit_nothing_is_unusual() -> None:
    (found,) = readings([series("a", 1, 1000)], "bytes", None)
    assert (found["unusual"], found["last_text"], found["lowest_text"]) == (False, "1000 B", "1 B")
