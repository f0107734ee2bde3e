"""Seed 5's envelope around every tool: `help`, `status`, `list_methods` and `list_providers`.

They describe a tool and do nothing; only `status` asks the provider whether the account can be used.
"""

import asyncio
from collections.abc import Sequence
from typing import Any, cast

from butler.adapters.catalogue import Catalogue
from butler.adapters.errors import GateError
from butler.adapters.gates import pass_gates
from butler.adapters.version import Version
from butler.contract.adapters import RemoteIntegration
from butler.contract.base_integration import BaseIntegration
from butler.contract.integration import Json
from butler.contract.module import Module
from butler.contract.tool_envelope import Op
from butler.contract.tools import ToolSpec

STATUS_WITHIN_S = 20.0
_SAMPLES: dict[str, Any] = {"string": "...", "integer": 1, "number": 1.0, "boolean": True, "array": [], "object": {}}
_MOMENTS = {"date-time": "2026-03-01T09:00:00", "date": "2026-03-01"}


async def answer(op: Op, spec: ToolSpec, module: Module, catalogue: Catalogue) -> Json:
    """Return a tool's answer to one of these operations, as JSON."""
    match op:
        case Op.HELP:
            return _help(spec, catalogue)
        case Op.STATUS:
            return await _status(spec, module, catalogue)
        case Op.LIST_METHODS:
            methods = {m.method_id: m for one in backing(spec, module) for m in one.describe_methods()}
            return {"tool": spec.tool_name, "methods": [m.model_dump(mode="json") for m in methods.values()]}
        case Op.LIST_PROVIDERS:
            return {"tool": spec.tool_name, "providers": _providers(spec, module)}


def backing(spec: ToolSpec, module: Module) -> Sequence[BaseIntegration]:
    """Return the integrations behind a tool; none for one that only uses the butler's own rows."""
    found = module.backing(spec.identity)
    if spec.adapter_id is None:
        return found
    return [one for one in found if isinstance(one, RemoteIntegration) and one.adapter_id == spec.adapter_id]


def _help(spec: ToolSpec, catalogue: Catalogue) -> Json:
    schema = spec.args.model_json_schema()
    return {
        "tool": spec.tool_name,
        "description": spec.description,
        "deprecated": spec.deprecation,
        "guide": spec.guide,
        "identity": spec.identity.value,
        "direction": spec.direction.value,
        "asks": spec.approval_default.value,
        "accounts": list(spec.accounts),
        "args": schema,
        "returns": _returns(spec, catalogue),
        "examples": list(spec.examples) or [sample(schema)],
        "ops": [op.value for op in Op],
    }


def _returns(spec: ToolSpec, catalogue: Catalogue) -> Json | None:
    """Return the schema of the answer, if a contract publishes one."""
    adapter = catalogue.adapters.get(spec.adapter_id or "")
    contract = adapter.serving(Version.parse(spec.adapter_contract_version or "")) if adapter else None
    operation = contract.operations.get(spec.adapter_operation or "") if contract else None
    return operation.output if operation else None


async def _status(spec: ToolSpec, module: Module, catalogue: Catalogue) -> Json:
    refused = ""
    try:
        pass_gates(spec, catalogue)
    except GateError as error:
        refused = error.detail
    states = await asyncio.gather(*(_auth(one) for one in backing(spec, module)))
    adapter = {
        "id": spec.adapter_id,
        "operation": spec.adapter_operation,
        "contract_version": spec.adapter_contract_version,
    }
    return {
        "tool": spec.tool_name,
        "registered": True,
        "ok": not refused and all(state["ok"] for state in states),
        "execution_mode": spec.execution_mode.value,
        "adapter": adapter if spec.adapter_id else None,
        "refused": refused,
        "auth": states,
    }


async def _auth(integration: BaseIntegration) -> Json:
    """Return whether one account can be used now, within a time limit."""
    try:
        async with asyncio.timeout(STATUS_WITHIN_S):
            return {"provider": integration.provider, **await integration.auth_status()}
    except TimeoutError:
        detail = f"{integration.provider} has not answered within {STATUS_WITHIN_S:.0f} s"
        return {"provider": integration.provider, "ok": False, "account": "", "detail": detail, "todo": "Try again."}


def _providers(spec: ToolSpec, module: Module) -> list[str]:
    found = [one.adapter_id if isinstance(one, RemoteIntegration) else one.provider for one in backing(spec, module)]
    return list(dict.fromkeys(found)) or ["butler"]


def method_line(method: Json) -> str:
    """Return a method as one line of `list_methods`."""
    limit = method["rate_limit_hint"]
    about: list[str] = [*method["capabilities"], method["idempotency"], *method["auth_scopes"], method["cost_hint"]]
    about += [f"at most {limit['calls']} in {limit['per_s']:g} s"] if limit else []
    if method["deprecated"]:
        instead = method["replacement_method_id"]
        about.append(f"deprecated: use {instead}" if instead else "deprecated, and nothing replaces it")
    return f"{method['method_id']}  ({', '.join(dict.fromkeys(filter(None, about)))})"


def sample(schema: Json) -> Json:
    """Return sample arguments: each required one, by its own example or else by its type."""
    kinds = schema.get("$defs", {})
    return {name: _sample(schema["properties"][name], kinds) for name in schema.get("required", ())}


def _sample(schema: Json, kinds: Json) -> Any:
    if schema.get("examples"):
        return cast("list[Any]", schema["examples"])[0]
    if "$ref" in schema:
        return _sample(kinds[str(schema["$ref"]).rsplit("/", 1)[-1]], kinds)
    if "const" in schema:
        return schema["const"]
    given = cast("list[Any]", schema.get("enum") or [])
    parts = cast("list[Json]", schema.get("anyOf") or schema.get("allOf") or [])
    return given[0] if given else _sample(parts[0], kinds) if parts else _by_type(schema, kinds)


def _by_type(schema: Json, kinds: Json) -> Any:
    match schema.get("type"):
        case "object" if "properties" in schema:
            return sample({**schema, "$defs": kinds})
        case "array" if schema.get("minItems"):
            return [_sample(schema["items"], kinds)]
        case "string" if schema.get("format") in _MOMENTS:
            return _MOMENTS[schema["format"]]
        case kind:
            return schema.get("minimum", _SAMPLES.get(str(kind)))
