"""`butler contracts check` says each fault in one sentence, with what to do; and nothing where all is well."""

import json
from dataclasses import replace

import pytest

from butler.adapters.bump import bump
from butler.adapters.catalogue import load_catalogue
from butler.adapters.check import check
from butler.adapters.code import code_of
from butler.adapters.files import write_json
from butler.contract.errors import Refuse
from butler.contract.tools import ExecutionMode
from tests.adapters.contracts.harness import ADAPTER, OPERATIONS, SearchArgs, Vectors, entry_of, grown, tool


def test_a_house_as_it_was_locked_has_no_fault(harness):
    assert check(harness.files, harness.code) == []


def test_a_changed_file_is_told_with_the_kind_of_each_change_and_the_version_it_needs(harness):
    path = harness.files.current("qdrant")
    contract = json.loads(path.read_text())
    contract["operations"]["search"]["input"]["properties"]["limit"]["maximum"] = 50
    contract["description"] = "Points."
    write_json(path, contract)
    assert check(harness.files, harness.code) == [
        (
            "modules/qdrant/contract.json was changed without a new version (patch: the adapter is described anew; "
            "breaking: search input, limit: its maximum went from 100 to 50), which needs 2.0.0, a new MAJOR version; "
            "take it back from version control"
        )
    ]


def test_changed_code_is_told_with_the_kind_of_each_change_and_the_version_it_needs(harness):
    harness.change("search", args=grown(SearchArgs, filter=(str, "")))
    assert check(harness.files, harness.code) == [
        (
            "the code of qdrant-vector is not what 1.0.0 says (additive: search input, filter: it is new), which needs "
            "1.1.0, a new MINOR version; take it back, or lock it as a new version: "
            "`butler contracts bump qdrant-vector`"
        )
    ]


def test_a_version_written_by_hand_is_told(harness):
    path = harness.files.current("qdrant")
    write_json(path, json.loads(path.read_text()) | {"version": "1.1.0"})
    assert check(harness.files, harness.code) == [
        (
            "modules/qdrant/contract.json says that it is qdrant-vector 1.1.0, locked is qdrant-vector 1.0.0; only "
            "`butler contracts bump` writes it: take it back from version control"
        )
    ]


def test_a_redefined_method_is_told_with_the_id_that_it_needs(harness):
    harness.change("upsert", args=SearchArgs)
    harness.tools = {}
    (changed, redefined) = check(harness.files, harness.code)
    assert "which needs 2.0.0" in changed
    assert redefined == (
        "qdrant.points.upsert.v1 is not as it was locked; take it back, or call the new one qdrant.points.upsert.v2"
    )


def test_a_tool_that_a_gate_refuses_is_told_with_the_gate(harness):
    code = replace(harness.code, tools=(tool(Vectors(), "search", adapter_operation="drop_all_collections"),))
    assert check(harness.files, code) == [
        "gate 4.9 operation_exists: bot_qdrant_search: qdrant-vector has no operation 'drop_all_collections'"
    ]
    local = replace(harness.code, tools=(tool(Vectors(), "search", execution_mode=ExecutionMode.LOCAL),))
    assert check(harness.files, local) == [
        "gate 4.7 required_adapter_id: bot_qdrant_search is local, so it has no adapter"
    ]


def test_a_module_that_cannot_be_read_is_told_and_hides_no_other(harness):
    code = replace(harness.code, unread={"loki": "ImportError: no"})
    assert check(harness.files, code) == ["modules/loki cannot be read: ImportError: no"]
    of_it = code_of([], [], {"qdrant": "ImportError: no"})
    assert check(harness.files, of_it) == ["modules/qdrant cannot be read: ImportError: no"]


def test_a_contract_in_a_folder_that_is_not_locked_is_told(harness):
    write_json(harness.files.current("other"), json.loads(harness.files.current("qdrant").read_text()))
    (fault,) = check(harness.files, harness.code)
    assert fault.startswith("modules/other has a contract that is not locked")


@pytest.mark.parametrize("spoil", ["away", "of another contract"])
def test_a_major_version_without_its_approval_is_told(harness, spoil):
    harness.change("search", method_id="qdrant.points.search.v2")
    with pytest.raises(Refuse) as refused:
        harness.bump()
    entry = entry_of(refused.value.detail)
    harness.approve(entry)
    harness.bump()
    harness.tools = dict.fromkeys(OPERATIONS, "2.0.0")
    assert check(harness.files, harness.code) == []
    digest = json.loads(harness.files.lock.read_text())["adapters"][ADAPTER]["digests"]["2.0.0"]
    harness.files.approvals.write_text("" if spoil == "away" else entry.replace(digest, "0" * 64))
    (fault,) = check(harness.files, harness.code)
    assert fault.startswith("qdrant-vector 2.0.0 breaks tools, and contracts.approvals.toml has no approval of it")


def test_every_tool_that_is_made_for_a_contract_is_named_when_it_has_to_be_updated(harness):
    harness.change("search", method_id="qdrant.points.search.v2")
    with pytest.raises(Refuse) as refused:
        harness.bump()
    harness.approve(entry_of(refused.value.detail))
    harness.bump()
    faults = check(harness.files, harness.code)
    assert [fault.split()[3] for fault in faults] == [f"bot_qdrant_{name}" for name in OPERATIONS]
    assert all(fault.endswith("is made for qdrant-vector 1.0.0, and the adapter is at 2.0.0") for fault in faults)


def test_one_broken_adapter_leaves_the_others_in_use(harness):
    other = Vectors({"search": replace(OPERATIONS["search"], method_id="other.points.search.v1")})
    other.adapter_id = "other-vector"  # type: ignore[misc]
    code = code_of([("qdrant", harness.integration), ("other", other)], harness.code.tools)
    bump(harness.files, code, "other-vector")
    harness.files.current("qdrant").write_text("{}")
    catalogue = load_catalogue(harness.files)
    assert set(catalogue.adapters) == {"other-vector"}
    assert set(catalogue.broken) == {ADAPTER}
    assert len(check(harness.files, code)) == 1
