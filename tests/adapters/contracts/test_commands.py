"""`butler contracts` as a person uses it, on this project and on one of a test's own."""

import json
import re
import sys
from datetime import UTC, datetime
from pathlib import Path
from types import ModuleType

import pytest

from butler.adapters.files import Files
from butler.cli.contracts.code import read_code
from butler.contract.module import Module
from butler.store.open import open_store
from butler.store.queries import run_records
from butler.store.queries.run_records import RunRecord
from tests.adapters.contracts.harness import ADAPTER, OPERATIONS, Harness, NoArgs, entry_of, grown
from tests.cli.conftest import an_empty_home, butler

__all__ = ["an_empty_home", "butler"]


@pytest.fixture
def mine(harness: Harness, monkeypatch: pytest.MonkeyPatch) -> Harness:
    """The commands look at a test's own project."""
    monkeypatch.setattr("butler.adapters.files.Files", lambda: harness.files)
    monkeypatch.setattr("butler.adapters.catalogue.Files", lambda: harness.files)
    monkeypatch.setattr("butler.cli.contracts.code.read_code", lambda: harness.code)
    return harness


async def test_this_house_is_as_it_was_locked(butler):
    done = await butler("contracts", "check")
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout.endswith("methods are as they were locked.\n")


def test_every_method_of_every_module_is_among_those_that_are_checked():
    """By the ids in the sources, so that no integration is forgotten."""
    sources = [path.read_text(encoding="utf-8") for path in Files().modules.rglob("*.py")]
    written = {
        found for text in sources for found in re.findall(r'"([a-z][a-z0-9_]*(?:\.[a-z0-9_]+){2,3}\.v\d+)"', text)
    }
    assert len(written) > 100
    assert written <= set(read_code().methods)


async def test_a_fault_is_one_sentence_on_standard_error_and_exit_code_1(butler, mine):
    assert (await butler("contracts", "check")).exit_code == 0
    mine.change("search", description="Anew.")
    done = await butler("contracts", "check")
    assert done.exit_code == 1
    (line,) = done.stderr.splitlines()
    assert line.startswith("butler: the code of qdrant-vector is not what 1.0.0 says (patch: search is described anew)")


async def test_bump_says_what_it_did_and_what_may_not_be(butler, mine):
    mine.change("search", description="Anew.")
    done = await butler("contracts", "bump", ADAPTER)
    assert "qdrant-vector 1.0.1 is locked." in done.stdout
    del mine.ops["search"]
    refused = await butler("contracts", "bump", ADAPTER)
    assert refused.exit_code == 1
    mine.approve(entry_of(refused.stderr))
    assert "qdrant-vector 2.0.0 is locked." in (await butler("contracts", "bump", ADAPTER)).stdout
    assert (await butler("contracts", "bump", "--methods")).stdout == "Every method is as it was locked.\n"
    assert (await butler("contracts", "bump")).exit_code == 2
    assert (await butler("contracts", "bump", ADAPTER, "--methods")).exit_code == 2
    assert (await butler("contracts", "bump", "--methods", "--first")).exit_code == 2
    unknown = await butler("contracts", "bump", "nothing")
    assert (unknown.exit_code, "no module has the adapter nothing" in unknown.stderr) == (1, True)


async def test_show_is_the_table_of_mappings(butler, mine):
    lines = (await butler("contracts", "show")).stdout.splitlines()
    assert lines[0].split() == ["tool", "adapter", "operation", "made", "for", "served", "effect", "state"]
    rows = [line.split() for line in lines[1:]]
    assert ["bot_qdrant_search", ADAPTER, "search", "1.0.0", "1.0.0", "read", "ok"] in rows
    assert ["bot_qdrant_upsert", ADAPTER, "upsert", "1.0.0", "1.0.0", "write", "ok"] in rows
    assert len(rows) == len(OPERATIONS)


async def test_show_tells_which_gate_refuses_a_tool_and_why(butler, mine):
    mine.tools["search"] = "3.0.0"
    line = next(one for one in (await butler("contracts", "show")).stdout.splitlines() if "qdrant_search" in one)
    why = "bot_qdrant_search is made for qdrant-vector 3.0.0, and the adapter is at 1.0.0"
    assert line.endswith(f"refused by gate 4 contract_version: {why}")
    shown = json.loads((await butler("contracts", "show", "--json")).stdout)
    (row,) = [one for one in shown["tools"] if one["tool"] == "bot_qdrant_search"]
    assert (row["ok"], row["gate"], row["why"]) == (False, "4 contract_version", why)
    assert (shown["adapters"], shown["broken"], shown["run_records"]) == ({ADAPTER: "1.0.0"}, {}, [])
    mine.files.current("qdrant").write_text("{}")
    assert "gate 5 contract_frozen" in (await butler("contracts", "show")).stdout
    mine.tools = {}
    assert (await butler("contracts", "show")).stdout.splitlines() == [
        "No tool stands on an adapter.",
        "qdrant-vector: no tool is made for it",
    ]


def configure() -> None:
    Path("butler.toml").write_text('[butler]\ndata_dir = "data"\n')


async def test_show_tells_what_was_refused_lately_where_there_is_a_database(butler, mine):
    configure()
    assert "Refused lately" not in (await butler("contracts", "show")).stdout
    store = open_store("sqlite:///butler.db", data_dir=Path("data"))
    moment = datetime(2026, 3, 1, 9, tzinfo=UTC)
    record = RunRecord(
        run_id="1", at=moment, tool="bot_qdrant_search", gate="4.8 adapter_exists", message="No such\nadapter."
    )
    await store.write(lambda connection: run_records.add(connection, record), "run_record")
    await store.write(
        lambda connection: run_records.add(connection, record.model_copy(update={"run_id": "2", "trace_id": "t"})),
        "two",
    )
    await store.close()
    lines = (await butler("contracts", "show")).stdout.splitlines()
    assert [line for line in lines if "2026-03-01" in line] == [
        "  2026-03-01 09:00 UTC, bot_qdrant_search, before a call, gate 4.8 adapter_exists: No such[U+000A]adapter.",
        "  2026-03-01 09:00 UTC, bot_qdrant_search, at the start, gate 4.8 adapter_exists: No such[U+000A]adapter.",
    ]
    shown = json.loads((await butler("contracts", "show", "--json")).stdout)
    assert [one["run_id"] for one in shown["run_records"]] == ["2", "1"]


def test_a_module_that_is_half_done_hides_no_other(monkeypatch):
    class Half(Module):
        channel = "trello"
        settings_model = grown(NoArgs, user=(dict, {}))

        def integrations(self):
            raise NotImplementedError

    half = ModuleType("modules.trello")
    half.MODULE = Half  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "modules.trello", half)
    code = read_code()
    assert set(code.unread) == {"trello"}
    assert code.unread["trello"].startswith("NotImplementedError")
    assert "web.page.read.v1" in code.methods
