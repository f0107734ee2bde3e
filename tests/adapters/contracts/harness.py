"""A small project with one remote adapter, seed 3's own example: its module, its files, and what its code says."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, create_model

from butler.adapters.bump import bump
from butler.adapters.code import Code, code_of
from butler.adapters.files import Files
from butler.adapters.lock import Lock, write_lock
from butler.contract.adapters import AdapterContract, Operation, RemoteIntegration, remote_tool
from butler.contract.base_integration import BaseIntegration
from butler.contract.integration import Idempotency, Method, RawAnswer, method
from butler.contract.module import Module
from butler.contract.tools import ArgRole, Preview, ToolMetadata, ToolSpec

ADAPTER = "qdrant-vector"


class SearchArgs(BaseModel):
    """What is looked for."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    vector: list[float] = Field(description="The numbers to look near.")
    limit: int = Field(default=10, ge=1, le=100)


class UpsertArgs(BaseModel):
    """What is put in."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    points: list[str]


class Matches(BaseModel):
    """What was found."""

    matches: list[str] = Field(description="The nearest first.")


class Count(BaseModel):
    """How many there were."""

    count: int


class Named(BaseModel):
    """A collection by its name."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str


class NoArgs(BaseModel):
    """Nothing."""

    model_config = ConfigDict(extra="forbid", frozen=True)


@dataclass(frozen=True)
class Op:
    """One operation as the code has it."""

    method_id: str
    args: type[BaseModel]
    answer: type[BaseModel]
    idempotency: Idempotency = Idempotency.READ
    description: str = "What it does."


OPERATIONS: Mapping[str, Op] = {
    "search": Op("qdrant.points.search.v1", SearchArgs, Matches),
    "upsert": Op("qdrant.points.upsert.v1", UpsertArgs, Count, Idempotency.PROVIDER),
    "create_collection": Op("qdrant.collections.create.v1", Named, Count, Idempotency.STATE),
    "health_check": Op("qdrant.service.health_check.v1", NoArgs, Count),
}


class Vectors(RemoteIntegration):
    """The integration; `calls` counts what reached the provider. `hidden` are methods behind no operation."""

    provider = "qdrant"
    adapter_id = ADAPTER
    adapter_description = "Points with vectors, in a Qdrant server."

    def __init__(self, ops: Mapping[str, Op] = OPERATIONS, hidden: Sequence[Op] = ()) -> None:
        self._methods = [*ops.values(), *hidden]
        self.operations = {name: Operation(op.method_id, op.description) for name, op in ops.items()}  # type: ignore[misc]
        self.calls = 0
        super().__init__()

    def methods(self) -> list[Method]:
        return [
            method(op.method_id, args=op.args, answer=op.answer, run=self._run, idempotency=op.idempotency)
            for op in self._methods
        ]

    async def auth_status(self) -> dict[str, Any]:
        return {"ok": True, "account": "", "detail": "", "todo": ""}

    async def _run(self, _call: object, _args: object) -> RawAnswer:
        self.calls += 1
        return RawAnswer({"matches": ["one"], "count": 1})


class Local(BaseIntegration):
    """An integration that is no adapter."""

    provider = "notes"

    def __init__(self, *ops: Op) -> None:
        self._methods = ops
        super().__init__()

    def methods(self) -> list[Method]:
        return [
            method(op.method_id, args=op.args, answer=op.answer, run=_never, idempotency=op.idempotency)
            for op in self._methods
        ]

    async def auth_status(self) -> dict[str, Any]:
        return {"ok": True, "account": "", "detail": "", "todo": ""}


async def _never(_call: object, _args: object) -> RawAnswer:
    raise AssertionError


def tool(integration: RemoteIntegration, operation: str, version: str = "1.0.0", **more: Any) -> ToolSpec:
    """The tool of an operation, as its module declares it; `more` replaces fields of it."""
    ops = {m.spec.method_id: m for m in integration.methods()}
    args = ops[integration.operations[operation].method_id].args
    spec = remote_tool(
        integration,
        "qdrant",
        operation,
        contract_version=version,
        description="What it does.",
        args=args,
        preview=lambda _args: Preview(effect="Does it."),
    )
    return replace(spec, **more)


class QdrantModule(Module):
    """`bot_qdrant_*`."""

    channel = "qdrant"
    settings_model = NoArgs

    def __init__(self, *tools: ToolSpec, integration: RemoteIntegration | None = None) -> None:
        super().__init__(None, None)  # type: ignore[arg-type]
        self.tools = tools
        self.integration = integration or Vectors()

    def integrations(self) -> Sequence[BaseIntegration]:
        return (self.integration,)

    def bot_inputs(self) -> Sequence[ToolSpec]:
        return [one for one in self.tools if one.direction.value == "input"]

    def bot_outputs(self) -> Sequence[ToolSpec]:
        return [one for one in self.tools if one.direction.value == "output"]

    def tool_metadata(self) -> Mapping[str, ToolMetadata]:
        return {one.tool_name: ToolMetadata(dict.fromkeys(one.args.model_fields, ArgRole.OPTION)) for one in self.tools}


@dataclass
class Harness:
    """Files in a folder of their own, and the code beside them, which a test changes."""

    files: Files
    ops: dict[str, Op] = field(default_factory=lambda: dict(OPERATIONS))
    hidden: list[Op] = field(default_factory=list[Op])
    tools: dict[str, str] = field(default_factory=lambda: dict.fromkeys(OPERATIONS, "1.0.0"))
    """Operation to the version of the contract that its tool is made for."""

    @classmethod
    def at(cls, folder: Path) -> "Harness":
        """A project in which nothing is locked yet."""
        files = Files(folder / "modules", folder / "config" / "contracts.lock.json")
        (files.modules / "qdrant").mkdir(parents=True)
        write_lock(files, Lock.empty())
        return cls(files)

    @property
    def integration(self) -> Vectors:
        return Vectors(self.ops, self.hidden)

    @property
    def code(self) -> Code:
        integration = self.integration
        tools = [tool(integration, name, version) for name, version in self.tools.items() if name in self.ops]
        return code_of([("qdrant", integration)], tools)

    def bump(self, *, first: bool = False) -> str:
        """Lock what the code says, and what was told of it."""
        return "\n".join(bump(self.files, self.code, ADAPTER, first=first))

    def change(self, operation: str, **fields: Any) -> None:
        """Give an operation other `args`, `answer`, `method_id` and so on."""
        self.ops[operation] = replace(self.ops[operation], **fields)

    def approve(self, entry: str) -> None:
        """Write an approval as `bump` prints it."""
        before = self.files.approvals.read_text() if self.files.approvals.exists() else ""
        self.files.approvals.write_text(f"{before}{entry}\n")


def grown(model: type[BaseModel], **fields: Any) -> type[BaseModel]:
    """A model with more fields, or with others under the same name."""
    return create_model(model.__name__, __base__=model, __doc__=model.__doc__, **fields)


def contract(version: str = "1.0.0", ops: Mapping[str, Op] = OPERATIONS) -> AdapterContract:
    """The contract of the adapter, under a version."""
    return Vectors(ops).contract(version)


def entry_of(refusal: str) -> str:
    """The approval that a refusal prints, with a reason and a name in it."""
    return refusal[refusal.index("[[approved]]") :]
