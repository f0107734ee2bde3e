"""A tool that a gate refuses is not used, at its registration and before each call; it is on record, and told of."""

import json
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest

from butler.adapters.catalogue import Catalogue, catalogue_of, load_catalogue
from butler.adapters.watching import WatchedCatalogue
from butler.contract.errors import IntegrationErrorCode
from butler.contract.tools import ToolCall
from butler.refused_tools import Refusals
from butler.registry import Registry
from butler.store.open import open_store
from butler.store.queries import run_records
from butler.store.queries.run_records import RunRecord, RunStatus
from butler.store.store import Store
from butler.store.tables import run_records as rows
from tests.adapters.contracts.harness import (
    ADAPTER,
    OPERATIONS,
    Harness,
    QdrantModule,
    SearchArgs,
    Vectors,
    contract,
    tool,
)
from tests.support.context import TurnedClock

SEARCH = SearchArgs(vector=[1.0])
SETTINGS = Path(__file__).parents[3] / "docs" / "reference" / "settings.md"


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    opened = open_store("sqlite:///butler.db", data_dir=tmp_path)
    yield opened
    await opened.close()


class Daemon:
    """A registry as the daemon wires it: refusals become run records, and the owner is told."""

    def __init__(self, store: Store, catalogue: Catalogue | None = None) -> None:
        self.told: dict[str, str] = {}
        self.store = store
        self.refusals = Refusals(store, TurnedClock(), self.tell)
        self.registry = Registry(catalogue or catalogue_of(contract()), self.refusals.keep)
        self.integration = Vectors()

    async def tell(self, key: str, sentence: str) -> None:
        self.told[key] = sentence

    async def start(self, *changed: str) -> None:
        """Register a tool for each operation; `changed` ones name an operation that there is none of."""
        wrong = {"adapter_operation": "drop_all_collections"}
        tools = [tool(self.integration, name, **(wrong if name in changed else {})) for name in OPERATIONS]
        self.registry.add_module(QdrantModule(*tools, integration=self.integration))
        await self.refusals.keep(*self.registry.refusals)

    async def search(self):
        call = ToolCall(tool="bot_qdrant_search", args=SEARCH, call_id=uuid4().hex, trace_id="a trace")
        return await self.registry.invoke(call)

    async def records(self):
        return await self.store.read(lambda connection: run_records.newest(connection, 100))


async def test_a_refusal_at_registration_leaves_the_other_tools_and_an_error_on_record(store):
    daemon = Daemon(store)
    await daemon.start("search")
    assert [spec.tool_name for spec in daemon.registry.specs()] == [
        "bot_qdrant_create_collection",
        "bot_qdrant_health_check",
        "bot_qdrant_upsert",
    ]
    (record,) = await daemon.records()
    assert (record.status, record.tool, record.adapter_id) == (RunStatus.ERROR, "bot_qdrant_search", ADAPTER)
    assert (record.adapter_operation, record.adapter_contract_version) == ("drop_all_collections", "1.0.0")
    assert (record.gate, record.trace_id) == ("4.9 operation_exists", "")
    assert list(daemon.told.values()) == [f"I do not use the tool bot_qdrant_search: {record.message}"]


async def test_a_call_that_passes_reaches_the_provider_and_leaves_no_record(store):
    daemon = Daemon(store)
    await daemon.start()
    answer = await daemon.search()
    assert answer.ok
    assert daemon.integration.calls == 1
    assert await daemon.records() == []
    assert daemon.told == {}


async def test_a_record_holds_what_the_settings_say_that_it_holds(store):
    """`run_records` in docs/reference/settings.md: each refusal, with when, which operation, which gate and why."""
    daemon = Daemon(store)
    await daemon.start()
    assert (await daemon.search()).ok
    daemon.registry.reload(Catalogue())
    refused = await daemon.search()
    (record,) = await daemon.records()
    assert timedelta() <= daemon.refusals.clock.now() - record.at < timedelta(minutes=1)
    assert record.model_dump(exclude={"run_id", "at", "message"}) == {
        "status": RunStatus.ERROR,
        "tool": "bot_qdrant_search",
        "adapter_id": ADAPTER,
        "adapter_operation": "search",
        "adapter_contract_version": "1.0.0",
        "gate": "4.8 adapter_exists",
        "trace_id": "a trace",
    }
    assert record.run_id
    assert record.message == refused.error.message
    assert set(RunRecord.model_fields) == set(rows.columns.keys())
    (line,) = [line for line in SETTINGS.read_text().splitlines() if line.startswith("| `run_records` ")]
    assert line.endswith("refused before it reached its adapter: when, which operation, by which gate, and why. |")


@pytest.mark.parametrize(
    ("catalogue", "gate"),
    [
        (Catalogue(), "4.8 adapter_exists"),
        (catalogue_of(contract("1.0.0", {"upsert": OPERATIONS["upsert"]})), "4.9 operation_exists"),
        (catalogue_of(contract("2.0.0")), "4 contract_version"),
        (Catalogue(broken={ADAPTER: "the contract was changed"}), "5 contract_frozen"),
    ],
)
async def test_a_refusal_before_a_call_calls_nobody_and_goes_on_record(store, catalogue, gate):
    daemon = Daemon(store)
    await daemon.start()
    daemon.registry.reload(catalogue)
    for _ in range(2):
        answer = await daemon.search()
        assert not answer.ok
        assert answer.error.code is IntegrationErrorCode.CONTRACT
    assert daemon.integration.calls == 0
    records = await daemon.records()
    assert [(one.gate, one.trace_id, one.status) for one in records] == [(gate, "a trace", RunStatus.ERROR)] * 2
    (told,) = daemon.told.values()
    assert told == f"I do not use the tool bot_qdrant_search: {records[0].message}"
    daemon.registry.reload(catalogue_of(contract("1.1.0")))
    assert (await daemon.search()).ok


async def test_an_adapter_that_is_removed_stops_all_its_tools_and_no_other(store):
    daemon = Daemon(store)
    await daemon.start()
    daemon.registry.reload(Catalogue())
    for spec in daemon.registry.specs():
        arguments = {"vector": [1.0], "points": [], "name": "x"}
        args = spec.args.model_validate({name: arguments[name] for name in spec.args.model_fields if name in arguments})
        answer = await daemon.registry.invoke(ToolCall(tool=spec.tool_name, args=args, call_id="c", trace_id="t"))
        assert answer.error.code is IntegrationErrorCode.CONTRACT
    assert daemon.integration.calls == 0
    assert {record.tool for record in await daemon.records()} == {f"bot_qdrant_{name}" for name in OPERATIONS}


async def test_a_contract_that_is_changed_under_a_running_house_stops_its_tools_until_it_is_put_back(
    store, harness, monkeypatch
):
    monkeypatch.setattr("butler.adapters.gatekeeper.WatchedCatalogue", lambda: WatchedCatalogue(harness.files))
    daemon = Daemon(store, load_catalogue(harness.files))
    daemon.registry = Registry(refused=daemon.refusals.keep)
    await daemon.start()
    assert (await daemon.search()).ok
    path = harness.files.current("qdrant")
    original = path.read_bytes()
    changed = json.loads(original)
    del changed["operations"]["search"]
    path.write_text(json.dumps(changed))
    answer = await daemon.search()
    assert answer.error.code is IntegrationErrorCode.CONTRACT
    path.unlink()
    assert not (await daemon.search()).ok
    assert daemon.integration.calls == 1
    assert [record.gate for record in await daemon.records()] == ["5 contract_frozen"] * 2
    path.write_bytes(original)
    assert (await daemon.search()).ok


@pytest.mark.parametrize("change", ["lock", "kept", "lock_gone", "kept_gone"])
def test_each_file_of_a_contract_is_watched(harness, change):
    watched = WatchedCatalogue(harness.files)
    assert ADAPTER in watched.current().adapters
    # An older version beside the current one, so that there is a kept copy that is read.
    harness.change("search", description="Anew.")
    harness.bump()
    assert str(watched.current().adapters[ADAPTER].version) == "1.0.1"
    path = harness.files.lock if change.startswith("lock") else harness.files.locked("qdrant", "1.0.0")
    if change.endswith("gone"):
        path.unlink()
    else:
        path.write_text(path.read_text().replace("qdrant.points.search.v1", "qdrant.points.search.v9", 1) + " x")
    assert ADAPTER in watched.current().broken


async def test_a_damaged_lock_stops_every_adapter_and_nothing_else(store, tmp_path):
    harness = Harness.at(tmp_path / "house")
    harness.bump()
    harness.files.lock.write_text("{")
    daemon = Daemon(store, load_catalogue(harness.files))
    await daemon.start()
    assert daemon.registry.specs() == []
    assert {refusal.gate for refusal in daemon.registry.refusals} == {"5 contract_frozen"}
    assert len(await daemon.records()) == len(OPERATIONS)
    *most, last = sorted(f"bot_qdrant_{name}" for name in OPERATIONS)
    why = "config/contracts.lock.json is no JSON that can be read"
    assert list(daemon.told.values()) == [f"I do not use the tools {', '.join(most)} and {last}: {why}"]
