"""A remote adapter's frozen contract (seed 3), and how an integration and its tools are bound to it.

The contract is a file, `modules/<channel>/contract.json`, which changes only together with its version. The
declarations in the code are compared with the file, and the file with the lock.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, ClassVar

from pydantic import BaseModel, Field

from butler.contract.base_integration import BaseIntegration
from butler.contract.door import failed
from butler.contract.errors import IntegrationErrorCode
from butler.contract.integration import READS, Idempotency, IntegrationCall, IntegrationResult, Json, MethodSpec
from butler.contract.names import ApprovalDefault, Direction, Identity
from butler.contract.records import ClosedRecord
from butler.contract.tools import ExecutionMode, Preview, ToolCall, ToolHandler, ToolSpec

ADAPTER_ID = re.compile(r"^[a-z0-9-]+$")
SEMVER = re.compile(r"^(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)\.(0|[1-9][0-9]*)$")


class OperationEffect(StrEnum):
    """Whether an operation only reads, or changes something at the provider."""

    READ = "read"
    WRITE = "write"


class AdapterOperation(ClosedRecord):
    """One operation: the method behind it, and the schemas of its input and output."""

    method_id: str
    description: str
    effect: OperationEffect
    input: Json
    output: Json


class AdapterContract(ClosedRecord):
    """What an adapter promises, in one version."""

    adapter_id: str = Field(pattern=ADAPTER_ID.pattern)
    version: str = Field(pattern=SEMVER.pattern)
    description: str
    operations: dict[str, AdapterOperation]

    @property
    def digest(self) -> str:
        """Return the SHA-256 of the contract as canonical JSON, in hex."""
        return digest_of(self.model_dump(mode="json"))


def canonical_json(value: Any) -> str:
    """Return JSON in one canonical form: keys in order, no spaces."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def digest_of(value: Any) -> str:
    """Return the SHA-256 of a JSON value in its canonical form, in hex."""
    return hashlib.sha256(canonical_json(value).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Operation:
    """How an integration does an operation of its adapter."""

    method_id: str
    description: str


class RemoteIntegration(BaseIntegration):
    """A provider integration that is a remote adapter: its operations are under a frozen contract."""

    adapter_id: ClassVar[str]
    adapter_description: ClassVar[str]
    operations: ClassVar[Mapping[str, Operation]]
    """The operations by name, as the adapter's current contract lists them."""

    async def stop(self) -> None:
        """Close open connections; the next call opens them again."""

    def contract(self, version: str) -> AdapterContract:
        """Return the contract that this code declares, with a version; without operations that have no method."""
        found = {name: self.operation(name) for name in sorted(self.operations)}
        operations = {name: operation for name, operation in found.items() if operation is not None}
        return AdapterContract(
            adapter_id=self.adapter_id, version=version, description=self.adapter_description, operations=operations
        )

    def behind(self, operation: str, method_id: str | None = None) -> MethodSpec | None:
        """Return the method of an operation, or an older method that it once had; None if there is none."""
        known = self.operations.get(operation)
        wanted = method_id or (known.method_id if known else "")
        return next((spec for spec in self.describe_methods() if spec.method_id == wanted), None)

    def operation(self, name: str, method_id: str | None = None) -> AdapterOperation | None:
        """Return one operation as this code declares it, or with an older method; None if no method can do it."""
        spec = self.behind(name, method_id)
        if spec is None:
            return None
        known = self.operations.get(name)
        reads = spec.idempotency is Idempotency.READ
        return AdapterOperation(
            method_id=spec.method_id,
            description=known.description if known else "",
            effect=OperationEffect.READ if reads else OperationEffect.WRITE,
            input=spec.input_schema,
            output=spec.output_schema,
        )


def through(
    integration: RemoteIntegration, operation: str, *, method_id: str | None = None, timeout_ms: int = 30_000
) -> ToolHandler:
    """Build a handler that calls an operation, or an older method, once with a tool's unchanged arguments.

    If the integration cannot do the operation, every call fails; the gates refuse its tool before that.
    """
    spec = integration.behind(operation, method_id)
    if spec is None:
        return _cannot(f"{integration.adapter_id} cannot do {operation}")
    more: dict[str, Any] = {"retry_policy": READS} if spec.idempotency is Idempotency.READ else {}

    async def handle(call: ToolCall) -> IntegrationResult:
        return await integration.call(
            IntegrationCall(
                trace_id=call.trace_id,
                method_id=spec.method_id,
                args=call.args.model_dump(mode="json"),
                timeout_ms=timeout_ms,
                dry_run=call.dry_run,
                token=call.token or None,
                progress=call.progress,
                **more,
            )
        )

    return handle


def _cannot(why: str) -> ToolHandler:
    async def handle(_call: ToolCall) -> IntegrationResult:
        return failed(IntegrationErrorCode.CONTRACT, why)

    return handle


def remote_tool(
    integration: RemoteIntegration,
    channel: str,
    operation: str,
    *,
    contract_version: str,
    description: str,
    args: type[BaseModel],
    handler: ToolHandler | None = None,
    preview: Callable[[Any], Preview] | None = None,
    approval_default: ApprovalDefault = ApprovalDefault.NONE,
    method_id: str | None = None,
    **more: Any,
) -> ToolSpec:
    """Build the tool `bot_<channel>_<operation>` over an operation of an adapter, for one version of its contract.

    `method_id` is for a tool made for an older version, if the operation has another method now: the tool keeps the old
    one. An operation that writes needs a `preview`; `more` goes to `ToolSpec`. An operation that the integration cannot
    do still makes a tool: the gates refuse only that tool, by name, when it is registered.
    """
    spec = integration.behind(operation, method_id)
    reads = spec.idempotency is Idempotency.READ if spec else preview is None
    return ToolSpec(
        tool_name=f"bot_{channel}_{operation}",
        channel=channel,
        direction=Direction.INPUT if reads else Direction.OUTPUT,
        identity=Identity.BOT,
        approval_default=approval_default,
        description=description,
        args=args,
        handler=handler or through(integration, operation, method_id=method_id),
        execution_mode=ExecutionMode.REMOTE,
        adapter_id=integration.adapter_id,
        adapter_operation=operation,
        adapter_contract_version=contract_version,
        adapter_method_id=method_id,
        idempotency=spec.idempotency if spec else Idempotency.NONE,
        preview=preview,
        deprecation=spec.deprecation if spec else "",
        **more,
    )
