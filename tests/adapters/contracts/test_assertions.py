"""Seed 3's six assertions and its two change examples, each by the name it has there; tool ids carry their identity."""

from dataclasses import replace

import pytest

from butler.adapters.bump import bump
from butler.adapters.catalogue import Catalogue, catalogue_of, load_catalogue
from butler.adapters.changes import ChangeKind, changes_between, kind_of, next_version
from butler.adapters.check import check
from butler.adapters.code import code_of
from butler.adapters.errors import GateError
from butler.adapters.gates import GATES, pass_gates
from butler.adapters.version import Version
from butler.contract.errors import Refuse
from butler.contract.names import Direction
from butler.contract.tools import ExecutionMode, ToolSpec
from butler.registry import Registry
from tests.adapters.contracts.harness import (
    ADAPTER,
    OPERATIONS,
    QdrantModule,
    SearchArgs,
    Vectors,
    contract,
    entry_of,
    grown,
    tool,
)

OPERATIONS_OF = {
    "supabase-postgres": {"query", "vector_search"},
    "qdrant-vector": {"search", "upsert", "create_collection", "health_check"},
    "meilisearch": {"search"},
    "cloudflare-r2": {"put_object", "get_object"},
    "prometheus": {"query_metrics"},
    "loki": {"query_logs"},
    "grafana": {"query_dashboard"},
    "livekit": {"create_room", "join_room"},
}
OTHER_MAJOR = {name: op for name, op in OPERATIONS.items() if name != "search"}
WITHOUT_CREATE = {name: op for name, op in OPERATIONS.items() if name != "create_collection"}


def search(**more) -> ToolSpec:
    """`bot_qdrant_search`, changed in some field."""
    return tool(Vectors(), "search", **more)


def local(**more) -> ToolSpec:
    """A tool that stands on no adapter."""
    no_adapter = {"adapter_id": None, "adapter_operation": None, "adapter_contract_version": None}
    return search(execution_mode=ExecutionMode.LOCAL, **{**no_adapter, **more})


def refusal(spec: ToolSpec, catalogue: Catalogue | None = None) -> GateError:
    with pytest.raises(GateError) as refused:
        pass_gates(spec, catalogue or catalogue_of(contract()))
    return refused.value


def test_assertion_1_pass_a_remote_tool_names_its_adapter():
    spec = search()
    assert (spec.tool_name, spec.adapter_id, spec.adapter_operation) == ("bot_qdrant_search", ADAPTER, "search")
    pass_gates(spec, catalogue_of(contract()))


@pytest.mark.parametrize("adapter_id", [None, ""])
def test_assertion_1_fail_a_remote_tool_without_an_adapter(adapter_id):
    refused = refusal(search(adapter_id=adapter_id))
    assert (refused.gate, refused.detail) == (
        "4.7 required_adapter_id",
        "bot_qdrant_search is remote, so it needs an adapter_id",
    )


@pytest.mark.parametrize("adapter_id", ["Qdrant-Vector", "qdrant_vector", "qdrant vector", "qdrant-vector\n", "né"])
def test_assertion_1_fail_an_adapter_id_that_does_not_match_the_pattern(adapter_id):
    refused = refusal(search(adapter_id=adapter_id))
    assert refused.gate == "4.7 required_adapter_id"
    assert "^[a-z0-9-]+$" in refused.detail


def test_assertion_1_fail_a_local_tool_with_an_adapter():
    refused = refusal(local(adapter_id=ADAPTER))
    assert (refused.gate, refused.detail) == (
        "4.7 required_adapter_id",
        "bot_qdrant_search is local, so it has no adapter",
    )


def test_a_local_tool_needs_no_adapter_at_all():
    pass_gates(local(), Catalogue())


def test_assertion_2_pass_the_adapter_exists():
    pass_gates(search(), catalogue_of(contract()))


def test_assertion_2_fail_the_adapter_does_not_exist():
    refused = refusal(search(adapter_id="invalid-adapter"))
    assert (refused.gate, refused.detail) == (
        "4.8 adapter_exists",
        "bot_qdrant_search names the adapter invalid-adapter, which does not exist",
    )


def test_assertion_3_pass_the_operation_is_the_adapters():
    for name in OPERATIONS:
        pass_gates(tool(Vectors(), name), catalogue_of(contract()))


@pytest.mark.parametrize("operation", ["drop_all_collections", "", None, "Search", "search "])
def test_assertion_3_fail_the_operation_is_none_of_the_adapters(operation):
    assert refusal(search(adapter_operation=operation)).gate == "4.9 operation_exists"


def test_assertion_4_pass_the_version_is_explicit_and_current():
    spec = search()
    assert spec.adapter_contract_version == "1.0.0"
    pass_gates(spec, catalogue_of(contract("1.0.0")))


@pytest.mark.parametrize("current", ["1.0.0", "1.0.1", "1.4.0", "1.40.2"])
def test_assertion_4_pass_a_newer_minor_version_serves_older_tools(current):
    pass_gates(search(), catalogue_of(contract(current)))


def test_assertion_4_fail_search_was_removed_in_2_0_0():
    refused = refusal(search(), catalogue_of(contract("2.0.0", OTHER_MAJOR)))
    assert refused.gate == "4.9 operation_exists"
    still_there = catalogue_of(contract("1.0.0"), contract("2.0.0", OTHER_MAJOR))
    assert refusal(search(adapter_contract_version="2.0.0"), still_there).gate == "4 contract_version"


def test_assertion_4_fail_the_major_version_is_another():
    refused = refusal(search(), catalogue_of(contract("2.0.0")))
    assert (refused.gate, refused.detail) == (
        "4 contract_version",
        "bot_qdrant_search is made for qdrant-vector 1.0.0, and the adapter is at 2.0.0",
    )


@pytest.mark.parametrize("made_for", ["1.1.0", "1.0.1", "0.9.0", "2.0.0"])
def test_assertion_4_fail_a_tool_made_for_what_is_not_served(made_for):
    assert refusal(search(adapter_contract_version=made_for)).gate == "4 contract_version"


@pytest.mark.parametrize("version", [None, "", "1", "1.0", "v1.0.0", "1.0.0-beta", "01.0.0", "1.0.0\n", "1.\u0662.0"])
def test_assertion_4_fail_a_version_that_is_none(version):
    assert refusal(search(adapter_contract_version=version)).gate == "4 contract_version"


def test_assertion_4_an_adapter_that_is_removed_fails_all_its_tools():
    for name in OPERATIONS:
        assert refusal(tool(Vectors(), name), Catalogue()).gate == "4.8 adapter_exists"


def test_assertion_5_pass_the_page_is_what_was_locked_and_all_tools_are_made_for_1_0_0(harness):
    assert "- Version: 1.0.0" in harness.files.document.read_text()
    assert check(harness.files, harness.code) == []


def test_assertion_5_fail_the_page_was_changed_without_a_version(harness):
    page = harness.files.document
    page.write_text(page.read_text().replace("1.0.0", "1.0.1", 1))
    assert check(harness.files, harness.code) == [
        "modules/ADAPTER_CONTRACTS.md is not what the locked contracts say; take it back from version control"
    ]


def test_assertion_5_fail_a_breaking_change_is_detected(harness):
    del harness.ops["create_collection"]
    (fault,) = [one for one in check(harness.files, harness.code) if "create_collection" in one]
    assert "breaking: the operation create_collection was removed" in fault
    assert "needs 2.0.0, a new MAJOR version" in fault


def test_assertion_5_fail_an_adapter_was_removed_or_added_without_a_word(harness):
    gone = check(harness.files, code_of([]))
    assert any(f"breaking: {ADAPTER} is locked and no module has it any more" in fault for fault in gone)
    added = Vectors({"search": OPERATIONS["search"]})
    added.adapter_id = "another-adapter"  # type: ignore[misc]
    code = code_of([("qdrant", harness.integration), ("other", added)])
    assert "another-adapter of modules/other is not locked: `butler contracts bump another-adapter`" in check(
        harness.files, code
    )


def test_assertion_5_a_contract_that_is_not_the_locked_one_is_not_used(harness):
    path = harness.files.current("qdrant")
    path.write_text(path.read_text().replace("The nearest first.", "The furthest first."))
    refused = refusal(search(), load_catalogue(harness.files))
    assert refused.gate == "5 contract_frozen"
    assert "not qdrant-vector 1.0.0 as it was locked" in refused.detail


def test_assertion_6_pass_the_tool_is_registered(harness):
    registry = Registry(load_catalogue(harness.files))
    registry.add_module(QdrantModule(search()))
    assert registry.refusals == []
    assert registry.spec("bot_qdrant_search").adapter_id == ADAPTER


def test_assertion_6_fail_the_tool_is_rejected(harness):
    registry = Registry(load_catalogue(harness.files))
    registry.add_module(QdrantModule(search(adapter_operation="drop_all_collections"), tool(Vectors(), "upsert")))
    (refused,) = registry.refusals
    assert (refused.gate, refused.why) == (
        "4.9 operation_exists",
        "bot_qdrant_search: qdrant-vector has no operation 'drop_all_collections'",
    )
    assert [spec.tool_name for spec in registry.specs()] == ["bot_qdrant_upsert"]


def test_assertion_6_fail_a_mapping_to_another_operation_under_the_same_name():
    refused = refusal(search(adapter_operation="upsert"))
    assert (refused.gate, "not its name" in refused.detail) == ("6 mapping", True)


def test_assertion_6_fail_a_tool_that_cannot_give_what_the_operation_needs():
    refused = refusal(search(args=OPERATIONS["create_collection"].args))
    assert (refused.gate, refused.detail) == (
        "6 mapping",
        "bot_qdrant_search takes no vector, which qdrant-vector search needs",
    )


def test_assertion_6_fail_an_input_on_an_operation_that_changes_something():
    spec = tool(Vectors(), "upsert", direction=Direction.INPUT)
    refused = refusal(spec)
    assert (refused.gate, refused.detail) == (
        "6 mapping",
        "bot_qdrant_upsert is an input, and qdrant-vector upsert changes something",
    )


def test_the_gates_are_asked_in_order_and_say_what_they_hold():
    assert [gate.name for gate in GATES] == [
        "4.7 required_adapter_id",
        "4.8 adapter_exists",
        "4.9 operation_exists",
        "4 contract_version",
        "5 contract_frozen",
        "6 mapping",
    ]
    everything_wrong = search(adapter_id="No", adapter_operation="no", adapter_contract_version="no")
    assert refusal(everything_wrong).gate == "4.7 required_adapter_id"
    assert refusal(replace(everything_wrong, adapter_id="no")).gate == "4.8 adapter_exists"
    assert refusal(replace(everything_wrong, adapter_id=ADAPTER)).gate == "4.9 operation_exists"
    assert all(gate.statement.endswith(".") for gate in GATES)


def test_change_example_1_a_new_optional_field_is_a_minor_version_and_old_tools_still_work(harness):
    harness.change("search", args=grown(SearchArgs, filter=(dict[str, str] | None, None)))
    (change,) = changes_between(contract(), harness.integration.contract("1.0.0"))
    assert (change.kind, change.sentence) == (ChangeKind.ADDITIVE, "search input, filter: it is new")
    assert next_version(Version(1, 0, 0), change.kind) == Version(1, 1, 0)
    told = harness.bump()
    assert "qdrant-vector 1.1.0 is locked." in told
    assert "bot_qdrant_search (modules/qdrant) is made for 1.0.0 and may be updated to 1.1.0." in told
    registry = Registry(load_catalogue(harness.files))
    registry.add_module(QdrantModule(search(), integration=harness.integration))
    assert registry.refusals == []
    assert check(harness.files, harness.code) == []


def test_change_example_2_a_removed_operation_is_a_major_version_forbidden_without_approval(harness):
    harness.change("create_collection", method_id="qdrant.collections.create.v1")
    del harness.ops["create_collection"]
    kind = kind_of(changes_between(contract(), harness.integration.contract("1.0.0")))
    assert kind is ChangeKind.BREAKING
    assert next_version(Version(1, 0, 0), kind) == Version(2, 0, 0)
    before = harness.files.lock.read_bytes(), harness.files.current("qdrant").read_bytes()
    with pytest.raises(Refuse) as refused:
        harness.bump()
    assert "breaking: the operation create_collection was removed" in refused.value.detail
    assert (harness.files.lock.read_bytes(), harness.files.current("qdrant").read_bytes()) == before
    harness.approve(entry_of(refused.value.detail))
    made = [tool(Vectors(), name) for name in OPERATIONS]
    told = bump(harness.files, code_of([("qdrant", harness.integration)], made), ADAPTER)
    assert "qdrant-vector 2.0.0 is locked." in told
    affected = [line.split()[0] for line in told if "has to be updated to 2.0.0" in line]
    assert affected == [f"bot_qdrant_{name}" for name in OPERATIONS]
    assert "- Version: 2.0.0" in harness.files.document.read_text()
    catalogue = load_catalogue(harness.files)
    for name in OPERATIONS:
        assert refusal(tool(Vectors(), name), catalogue).gate in {"4.9 operation_exists", "4 contract_version"}
    for name in WITHOUT_CREATE:
        pass_gates(tool(harness.integration, name, "2.0.0"), catalogue)


@pytest.mark.parametrize("adapter_id", sorted(OPERATIONS_OF))
def test_assertion_2_and_3_the_adapters_of_the_seed_are_locked_with_its_operations(adapter_id):
    adapter = load_catalogue().adapters[adapter_id]
    assert set(adapter.contracts[adapter.version].operations) >= OPERATIONS_OF[adapter_id]
