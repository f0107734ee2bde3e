"""Seed 3's six assertions as named checks, in order: at registration, and again before each call.

Gate 4 is the tool itself against the contracts (its rules 7, 8 and 9, and the version); gate 5 is the contract
against the lock; gate 6 is the whole mapping, at registration and whenever a part of it has changed since.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from butler.adapters.catalogue import Catalogue
from butler.adapters.errors import GateError
from butler.adapters.version import Version
from butler.contract.adapters import ADAPTER_ID, SEMVER, OperationEffect
from butler.contract.names import Direction, ToolName
from butler.contract.tools import ExecutionMode, ToolSpec


@dataclass(frozen=True, slots=True)
class Gate:
    """One check. `check` returns a sentence for each fault, and nothing if all is well."""

    name: str
    """Its name in run records, such as `4.7 required_adapter_id`."""
    statement: str
    check: Callable[[ToolSpec, Catalogue], Iterator[str]]


def _required_adapter_id(spec: ToolSpec, _catalogue: Catalogue) -> Iterator[str]:
    if spec.execution_mode is ExecutionMode.LOCAL:
        if spec.adapter_id is not None or spec.adapter_operation is not None:
            yield f"{spec.tool_name} is local, so it has no adapter"
    elif not spec.adapter_id:
        yield f"{spec.tool_name} is remote, so it needs an adapter_id"
    elif not ADAPTER_ID.fullmatch(spec.adapter_id):
        yield f"{spec.tool_name}: the adapter_id {spec.adapter_id!r} must match {ADAPTER_ID.pattern}"


def _adapter_exists(spec: ToolSpec, catalogue: Catalogue) -> Iterator[str]:
    if spec.adapter_id not in catalogue.known:
        yield f"{spec.tool_name} names the adapter {spec.adapter_id}, which does not exist"


def _operation_exists(spec: ToolSpec, catalogue: Catalogue) -> Iterator[str]:
    if not spec.adapter_operation:
        yield f"{spec.tool_name} names no operation of the adapter {spec.adapter_id}"
        return
    adapter = catalogue.adapters.get(spec.adapter_id or "")
    if adapter is None:
        return
    if all(spec.adapter_operation not in contract.operations for contract in adapter.contracts.values()):
        yield f"{spec.tool_name}: {spec.adapter_id} has no operation {spec.adapter_operation!r}"


def _contract_version(spec: ToolSpec, catalogue: Catalogue) -> Iterator[str]:
    if not spec.adapter_contract_version or not SEMVER.fullmatch(spec.adapter_contract_version):
        yield f"{spec.tool_name} names no version of its adapter's contract, such as 1.0.0"
        return
    adapter = catalogue.adapters.get(spec.adapter_id or "")
    if adapter is None:
        return
    serving = adapter.serving(Version.parse(spec.adapter_contract_version))
    if serving is None:
        wanted = spec.adapter_contract_version
        yield f"{spec.tool_name} is made for {spec.adapter_id} {wanted}, and the adapter is at {adapter.version}"
    elif spec.adapter_operation not in serving.operations:
        yield f"{spec.tool_name}: {spec.adapter_id} {serving.version} has no operation {spec.adapter_operation!r}"


def _contract_frozen(spec: ToolSpec, catalogue: Catalogue) -> Iterator[str]:
    if why := catalogue.broken.get(spec.adapter_id or ""):
        yield f"{spec.tool_name}: {why}"


def _mapping(spec: ToolSpec, catalogue: Catalogue) -> Iterator[str]:
    """Check a tool's mapping. `remote` tools are named after their acts, so a mapping cannot change under one name."""
    name = ToolName.parse(spec.tool_name)
    if name.action != spec.adapter_operation:
        yield f"{spec.tool_name} is mapped to the operation {spec.adapter_operation!r}, which is not its name"
    adapter = catalogue.adapters.get(spec.adapter_id or "")
    if adapter and adapter.channel not in {"", spec.channel}:
        yield f"{spec.tool_name} stands on {spec.adapter_id}, which is locked for modules/{adapter.channel}"
    serving = adapter.serving(Version.parse(spec.adapter_contract_version or "")) if adapter else None
    if serving is None:
        return
    operation = serving.operations[spec.adapter_operation or ""]
    if operation.effect is OperationEffect.WRITE and spec.direction is Direction.INPUT:
        yield f"{spec.tool_name} is an input, and {spec.adapter_id} {spec.adapter_operation} changes something"
    needed: list[str] = operation.input.get("required", [])
    if unknown := sorted(set(needed) - set(spec.args.model_fields)):
        yield f"{spec.tool_name} takes no {unknown[0]}, which {spec.adapter_id} {spec.adapter_operation} needs"


REQUIRED_ADAPTER_ID = Gate(
    "4.7 required_adapter_id",
    "A remote tool names its adapter by an id of small letters, digits and hyphens; a local one names none.",
    _required_adapter_id,
)
CONTRACT_FROZEN = Gate(
    "5 contract_frozen", "The adapter's contract is the one that was locked; so is its code.", _contract_frozen
)
MAPPING = Gate("6 mapping", "Module, name, direction and arguments fit the operation.", _mapping)
GATES = (
    REQUIRED_ADAPTER_ID,
    Gate("4.8 adapter_exists", "The adapter is one of those that are locked.", _adapter_exists),
    Gate("4.9 operation_exists", "The operation is one of the adapter's.", _operation_exists),
    Gate("4 contract_version", "The version it is made for is still served, and has the operation.", _contract_version),
    CONTRACT_FROZEN,
    MAPPING,
)
"""In the order of asking; the first refusal ends it."""


def pass_gates(spec: ToolSpec, catalogue: Catalogue) -> None:
    """Ask every gate in turn; raise `GateError` with the first refusal."""
    gates = (REQUIRED_ADAPTER_ID,) if spec.execution_mode is ExecutionMode.LOCAL else GATES
    for gate in gates:
        for refusal in gate.check(spec, catalogue):
            raise GateError(gate.name, refusal)
