"""What a remote module says of itself is held against the lock when it is registered; a wrong one ends nothing."""
# names: made up here

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType

import pytest

from butler.adapters.catalogue import Catalogue, catalogue_of, load_catalogue
from butler.adapters.errors import GateError
from butler.adapters.gates import pass_gates
from butler.contract.adapters import RemoteIntegration, remote_tool, through
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import Idempotency
from butler.contract.tools import ExecutionMode, Preview, Settled, ToolCall, ToolMetadata, ToolSpec
from butler.registry import Refusal, Registry
from tests.adapters.contracts.harness import (
    ADAPTER,
    OPERATIONS,
    Count,
    Harness,
    Op,
    QdrantModule,
    SearchArgs,
    Vectors,
    contract,
    grown,
    tool,
)

SEARCH = SearchArgs(vector=[1.0])


def made(integration: RemoteIntegration, operation: str, **more: object) -> ToolSpec:
    """A tool as a module makes it, whatever its integration can do."""
    return remote_tool(
        integration, "qdrant", operation, contract_version="1.0.0", description="Does it.", args=SearchArgs, **more
    )


def registered(*tools: ToolSpec, integration: RemoteIntegration | None = None) -> Registry:
    registry = Registry(catalogue_of(contract()))
    registry.add_module(QdrantModule(*tools, integration=integration))
    return registry


def told(registry: Registry) -> dict[str, tuple[str, str]]:
    return {one.spec.tool_name: (one.gate, one.why) for one in registry.refusals}


def call(name: str = "search") -> ToolCall:
    return ToolCall(tool=f"bot_qdrant_{name}", args=SEARCH, call_id="a call", trace_id="a trace")


def test_a_tool_of_an_operation_that_there_is_none_of_is_refused_and_the_others_live():
    integration = Vectors()
    wrong = [made(integration, "drop_all_collections")]
    wrong += [made(integration, "delete_it", preview=lambda _args: Preview("Deletes it."))]
    registry = registered(*wrong, tool(integration, "search"), integration=integration)
    assert told(registry) == {
        f"bot_qdrant_{name}": ("4.9 operation_exists", f"bot_qdrant_{name}: qdrant-vector has no operation '{name}'")
        for name in ("drop_all_collections", "delete_it")
    }
    assert [spec.tool_name for spec in registry.specs()] == ["bot_qdrant_search"]


async def test_a_handler_of_an_operation_that_there_is_none_of_calls_nobody():
    integration = Vectors()
    answer = await through(integration, "drop_all_collections")(call())
    assert answer.error.code is IntegrationErrorCode.CONTRACT
    assert integration.calls == 0


OTHER_CODE: Mapping[str, tuple[dict[str, Op], str]] = {
    "mapped to another method": (
        {"search": replace(OPERATIONS["search"], method_id="qdrant.points.find.v1")},
        "breaking: search is done by qdrant.points.find.v1 instead of qdrant.points.search.v1",
    ),
    "a write that was a read": (
        {"search": replace(OPERATIONS["search"], idempotency=Idempotency.NONE)},
        "breaking: search was a read and is a write now",
    ),
    "takes something else": (
        {"search": replace(OPERATIONS["search"], args=grown(SearchArgs, near=(str, ...)))},
        "breaking: search input, near: it is new and may not be left out",
    ),
    "takes more": (
        {"search": replace(OPERATIONS["search"], args=grown(SearchArgs, near=(str, "")))},
        "additive: search input, near: it is new",
    ),
    "gives something else": (
        {"search": replace(OPERATIONS["search"], answer=Count)},
        "breaking: search output, matches: it was removed",
    ),
    "gone": ({}, "it cannot do search"),
}


@pytest.mark.parametrize("change", OTHER_CODE)
def test_a_tool_whose_code_is_not_what_was_locked_is_refused_and_the_others_live(change: str):
    ops, why = OTHER_CODE[change]
    rest = {name: op for name, op in OPERATIONS.items() if name != "search"}
    integration = Vectors({**rest, **ops})
    registry = registered(made(integration, "search"), tool(integration, "upsert"), integration=integration)
    ((gate, said),) = told(registry).values()
    assert gate == "5 contract_frozen"
    assert said.startswith("bot_qdrant_search: the code of qdrant-vector is not what 1.0.0 says (")
    assert why in said
    assert [spec.tool_name for spec in registry.specs()] == ["bot_qdrant_upsert"]


class Listing(QdrantModule):
    """Its tools are inputs, whatever they have become."""

    def bot_inputs(self):
        return self.tools

    def bot_outputs(self):
        return ()


def test_an_input_whose_operation_became_a_write_is_refused_by_a_gate():
    integration = Vectors(OPERATIONS | {"search": replace(OPERATIONS["search"], idempotency=Idempotency.NONE)})
    registry = Registry(catalogue_of(contract()))
    registry.add_module(Listing(made(integration, "search"), integration=integration))
    assert [one.gate for one in registry.refusals] == ["5 contract_frozen"]
    registry = Registry(catalogue_of(contract(ops=integration_ops(integration))))
    registry.add_module(Listing(made(integration, "search"), integration=integration))
    assert [one.gate for one in registry.refusals] == ["4 tool_spec"], "locked as a write, and still among the inputs"


def integration_ops(integration: Vectors) -> dict[str, Op]:
    by_id = {spec.method_id: spec.idempotency for spec in integration.describe_methods()}
    return {name: replace(op, idempotency=by_id[op.method_id]) for name, op in OPERATIONS.items()}


class Misdescribed(QdrantModule):
    """Tells of arguments of a tool that it does not have, and of none of those that it has."""

    def tool_metadata(self):
        return {"bot_qdrant_forgotten": ToolMetadata({})}


def test_whatever_is_wrong_with_a_remote_tool_stops_that_tool_alone():
    integration = Vectors()
    search = tool(integration, "search")
    registry = registered(replace(search, tool_name=ADAPTER), replace(search, description=" "), integration=integration)
    assert [one.gate for one in registry.refusals] == ["4 tool_spec"] * 2
    registry = Registry(catalogue_of(contract()))
    registry.add_module(Misdescribed(search, integration=integration))
    assert [(one.gate, one.why) for one in registry.refusals] == [
        ("4 tool_spec", "bot_qdrant_search: every argument needs a role, and only those")
    ]
    assert registry.specs() == []


def test_an_integration_that_belongs_to_no_module_is_none_of_a_tool():
    class Empty(QdrantModule):
        def integrations(self):
            return ()

    registry = Registry(catalogue_of(contract()))
    registry.add_module(Empty(tool(Vectors(), "search")))
    assert [one.gate for one in registry.refusals] == ["5 contract_frozen"]


def test_an_older_version_is_served_while_the_code_of_its_operation_breaks_nothing():
    new = contract(
        "2.0.0", {"search": replace(OPERATIONS["search"], description="Anew."), "more": OPERATIONS["upsert"]}
    )
    catalogue = catalogue_of(contract(), new)
    grows = {"search": replace(OPERATIONS["search"], args=grown(SearchArgs, near=(str, "")))}
    for ops, refusals in ((grows, 0), (OTHER_CODE["mapped to another method"][0], 1)):
        integration = Vectors(ops)
        registry = Registry(catalogue)
        registry.add_module(QdrantModule(made(integration, "search"), integration=integration))
        assert len(registry.refusals) == refusals


async def test_a_tool_made_for_an_older_version_goes_on_with_its_own_method():
    newer = {"search": replace(OPERATIONS["search"], method_id="qdrant.points.search.v2", answer=Count)}
    catalogue = catalogue_of(contract(), contract("2.0.0", newer))
    integration = Vectors(newer, hidden=[OPERATIONS["search"]])
    for method_id, kept in ((None, False), ("qdrant.points.search.v1", True), ("qdrant.points.search.v9", False)):
        registry = Registry(catalogue)
        spec = made(integration, "search", method_id=method_id)
        registry.add_module(QdrantModule(spec, integration=integration))
        assert [one.gate for one in registry.refusals] == ([] if kept else ["5 contract_frozen"])
        if kept:
            assert (await registry.invoke(call())).data == {"matches": ["one"]}


async def test_code_is_compared_again_when_the_contracts_have_changed_and_not_before(monkeypatch):
    compared: list[str] = []

    class Counting(Vectors):
        def operation(self, name, method_id=None):
            compared.append(name)
            return super().operation(name, method_id)

    integration = Counting()
    registry = registered(tool(integration, "search"), integration=integration)
    compared.clear()
    assert (await registry.invoke(call())).ok
    assert compared == []
    other = contract(ops=OPERATIONS | OTHER_CODE["takes more"][0])
    registry.reload(catalogue_of(other))
    answer = await registry.invoke(call())
    assert answer.error.code is IntegrationErrorCode.CONTRACT
    assert "the code of qdrant-vector is not what 1.0.0 says" in answer.error.message
    assert integration.calls == 1
    registry.reload(catalogue_of(contract()))
    for _ in range(2):
        assert (await registry.invoke(call())).ok
    assert compared == ["search", "search"]


async def test_nothing_is_reconciled_under_a_contract_that_was_broken():
    kept: list[Refusal] = []

    async def keep(refusal: Refusal) -> None:
        kept.append(refusal)

    async def find_out(_call: ToolCall):
        raise AssertionError

    integration = Vectors()
    registry = Registry(catalogue_of(contract()), keep)
    registry.add_module(QdrantModule(tool(integration, "search", reconcile=find_out), integration=integration))
    registry.reload(Catalogue(broken=MappingProxyType({ADAPTER: "the contract was changed"})))
    found = await registry.reconcile(call())
    assert found.settled is Settled.UNKNOWN
    assert "the contract was changed" in str(found.detail)
    assert [(one.gate, one.trace_id) for one in kept] == [("5 contract_frozen", "a trace")]


def test_a_tool_of_another_module_than_the_locked_one_is_refused(harness: Harness):
    spec = tool(Vectors(), "search")
    twin = replace(spec, tool_name="bot_aqdrant_search", channel="aqdrant")
    assert spec.execution_mode is ExecutionMode.REMOTE
    pass_gates(spec, load_catalogue(harness.files))
    with pytest.raises(GateError) as refused:
        pass_gates(twin, load_catalogue(harness.files))
    assert (refused.value.gate, refused.value.detail) == (
        "6 mapping",
        "bot_aqdrant_search stands on qdrant-vector, which is locked for modules/qdrant",
    )


STANDING = ("bot_qdrant_search", "bot_qdrant_upsert")


def bulk(*stands_on: str) -> ToolSpec:
    """A local tool over operations of an adapter, as a bulk tool is."""
    local = {"adapter_id": None, "adapter_operation": None, "adapter_contract_version": None}
    made_local = tool(Vectors(), "upsert", execution_mode=ExecutionMode.LOCAL, **local)
    return replace(made_local, tool_name="bot_qdrant_upsert_all", stands_on=stands_on or STANDING)


def test_a_tool_is_refused_with_the_tools_that_it_stands_on():
    integration = Vectors()
    below = tool(integration, "search"), tool(integration, "upsert", "3.0.0")
    registry = registered(bulk(), *below, integration=integration)
    upsert, all_of_them = registry.refusals
    assert (upsert.gate, upsert.spec.tool_name) == ("4 contract_version", "bot_qdrant_upsert")
    assert (all_of_them.gate, all_of_them.spec.tool_name) == ("4 contract_version", "bot_qdrant_upsert_all")
    assert [spec.tool_name for spec in registry.specs()] == ["bot_qdrant_search"]
    registry = registered(bulk("bot_qdrant_forget"), integration=integration)
    assert told(registry) == {
        "bot_qdrant_upsert_all": ("6 mapping", "bot_qdrant_upsert_all: there is no tool bot_qdrant_forget")
    }


async def test_a_tool_is_not_called_while_one_that_it_stands_on_is_refused():
    kept: list[Refusal] = []

    async def keep(refusal: Refusal) -> None:
        kept.append(refusal)

    integration = Vectors()
    registry = Registry(catalogue_of(contract()), keep)
    below = tool(integration, "search"), tool(integration, "upsert")
    registry.add_module(QdrantModule(*below, bulk(), integration=integration))
    assert len(registry.specs()) == 3
    assert await registry.why_not(STANDING, "a run") == ""
    registry.reload(Catalogue(broken=MappingProxyType({ADAPTER: "the contract was changed"})))
    args = bulk().args.model_validate({"points": ["one"]})
    wanted = ToolCall(tool="bot_qdrant_upsert_all", args=args, call_id="c", trace_id="a trace")
    assert (await registry.invoke(wanted)).error.message == "bot_qdrant_upsert_all: the contract was changed"
    assert (await registry.reconcile(wanted)).settled is Settled.UNKNOWN
    assert await registry.why_not(STANDING, "a run") == "bot_qdrant_search: the contract was changed"
    assert [(one.spec.tool_name, one.trace_id) for one in kept] == [
        ("bot_qdrant_upsert_all", "a trace"),
        ("bot_qdrant_upsert_all", "a trace"),
        ("bot_qdrant_search", "a run"),
    ]
    assert await registry.why_not(["bot_qdrant_forget"], "a run") == "there is no tool bot_qdrant_forget"
    assert len(kept) == 3
    registry.reload(catalogue_of(contract()))
    assert (await registry.invoke(wanted)).ok
