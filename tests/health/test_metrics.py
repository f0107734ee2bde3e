"""`/metrics`: what it counts; dashboard and alerts ask only for what there is."""

import json
import re
import shutil
import subprocess
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path

import pytest
import yaml

from butler.contract.integration import IntegrationCall, IntegrationResult, ResultMeta
from butler.contract.module import Health
from butler.metrics import Metrics
from butler.store.queries import firings, work
from butler.store.queries.firings import FiringKind
from butler.store.store import Store
from tests.approvals.phone import NOON
from tests.support.tables import create_tables

ROOT = Path(__file__).parents[2]
DASHBOARD = ROOT / "deploy/grafana/butler-dashboard.json"
ALERTS = ROOT / "deploy/prometheus/butler-alerts.yml"


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    store = Store("sqlite://")
    create_tables(store.engine)
    yield store
    await store.close()


async def page(metrics: Metrics, store: Store, seconds: float = 0) -> str:
    channels = {"telegram.bot": Health(NOON - timedelta(seconds=5), 60), "email.user": Health(None, 60, stopped=True)}
    now = NOON + timedelta(seconds=seconds)
    return (await metrics.page(store, now, lambda: channels, lambda: NOON - timedelta(seconds=2))).decode()


def values(text: str) -> dict[str, float]:
    lines = (line.rpartition(" ") for line in text.splitlines() if not line.startswith("#"))
    return {name: float(value) for name, _, value in lines}


async def test_channels_work_and_lateness_are_told(store: Store) -> None:
    metrics = Metrics()
    await page(metrics, store)
    await store.write(lambda c: work.add(c, "x", "1", now=NOON))
    fired = NOON + timedelta(seconds=3)
    await store.write(lambda c: firings.fire(c, FiringKind.REMINDER, "r", fired - timedelta(seconds=2), fired))
    found = values(await page(metrics, store, 10))
    assert found['butler_channel_last_ok_seconds{channel="telegram.bot"}'] == 15
    assert found['butler_channel_last_ok_seconds{channel="email.user"}'] == float("inf")
    assert found['butler_channel_stopped{channel="email.user"}'] == 1
    assert (found["butler_work_ready"], found["butler_work_oldest_seconds"]) == (1, 10)
    assert found['butler_firing_lateness_seconds_bucket{kind="reminder",le="1.0"}'] == 0
    assert found['butler_firing_lateness_seconds_bucket{kind="reminder",le="2.5"}'] == 1
    assert found["butler_engine_last_look_seconds"] == 12
    again = values(await page(metrics, store, 20))
    assert again['butler_firing_lateness_seconds_count{kind="reminder"}'] == 1


async def test_calls_are_timed_by_channel(store: Store) -> None:
    metrics = Metrics()
    call = IntegrationCall(trace_id="t", method_id="gmail.messages.get.v1", args={})
    metrics.before_call(call)
    metrics.after_call(call, IntegrationResult(ok=True, data={}, meta=ResultMeta()))
    found = values(await page(metrics, store))
    assert found['butler_provider_calls_total{method="gmail.messages.get.v1",outcome="OK"}'] == 1
    assert found['butler_provider_call_seconds_count{channel="gmail"}'] == 1


def queries() -> list[str]:
    board = json.loads(DASHBOARD.read_text(encoding="utf-8"))
    shown = [target["expr"] for panel in board["panels"] for target in panel.get("targets", ())]
    rules = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))
    return shown + [rule["expr"] for group in rules["groups"] for rule in group["rules"]]


@pytest.mark.parametrize("query", queries())
async def test_dashboard_and_alerts_ask_only_for_what_there_is(store: Store, query: str) -> None:
    text = await page(Metrics(), store)
    known = set(re.findall(r"^# TYPE (\S+)", text, re.MULTILINE))
    known |= {f"{name}{ending}" for name in known for ending in ("_bucket", "_count", "_sum")}
    known |= {"up"}
    asked = set(re.findall(r"\b(?:butler|process)_\w+|\bup\b", re.sub(r"\{[^}]*\}", "", query)))
    assert asked, query
    assert asked <= known, query


@pytest.mark.parametrize("query", queries())
async def test_only_what_never_falls_is_asked_how_fast_it_grows(store: Store, query: str) -> None:
    kinds = dict(re.findall(r"^# TYPE (\S+) (\S+)", await page(Metrics(), store), re.MULTILINE))
    for asked in re.findall(r"\b(?:rate|irate|increase)\((\w+)", query):
        assert kinds[re.sub(r"_(bucket|count|sum)$", "", asked)] in {"counter", "histogram"}, query
    for asked in re.findall(r"\b(?:delta|idelta|deriv)\((\w+)", query):
        assert kinds[asked] == "gauge", query


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool is not installed here")
def test_promtool_takes_the_alerts() -> None:
    subprocess.run(["promtool", "check", "rules", str(ALERTS)], check=True, capture_output=True)
