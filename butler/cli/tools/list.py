"""List the tools: implements `butler tools`."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from butler.contract.tools import ToolSpec
from butler.offline import offline_registry
from butler.registry import Registry
from config.load import load


def asks(registry: Registry, spec: ToolSpec) -> str:
    """Return when a tool asks, in a word or two. A read of private data does, regardless of its default."""
    return "private: asks" if registry.metadata(spec.tool_name).sensitive_read else spec.approval_default.value


def list_tools(path: Path, *, as_json: bool) -> str:
    """Return every tool, with the accounts that the configuration gives it."""
    sections = load(path).settings.modules if path.exists() else {}
    registry, _classes = offline_registry(sections)
    specs = [_as_set_up(spec, sections) for spec in registry.specs()]
    rows = [
        {
            "name": spec.tool_name,
            "channel": spec.channel,
            "identity": spec.identity.value,
            "direction": spec.direction.value,
            "approval_default": spec.approval_default.value,
            "sensitive_read": registry.metadata(spec.tool_name).sensitive_read,
            "module": spec.channel,
            "execution_mode": spec.execution_mode.value,
            "adapter_id": spec.adapter_id,
            "adapter_operation": spec.adapter_operation,
            "adapter_contract_version": spec.adapter_contract_version,
            "accounts": list(spec.accounts),
            "description": spec.description,
            "deprecated": spec.deprecation,
        }
        for spec in specs
    ]
    if as_json:
        return json.dumps(rows, indent=2, ensure_ascii=False)
    width = max((len(spec.tool_name) for spec in specs), default=0)
    return "\n".join(
        f"{spec.tool_name:{width}}  {spec.direction:6}  {_column(asks(registry, spec)):17}  {_described(spec)}"
        for spec in specs
    )


def _as_set_up(spec: ToolSpec, sections: Mapping[str, Mapping[str, Any]]) -> ToolSpec:
    """Clear the accounts of tools that are not configured; otherwise they would show the example's."""
    return spec if spec.identity.value in sections.get(spec.channel, {}) else replace(spec, accounts=())


def _described(spec: ToolSpec) -> str:
    """Return what a tool does, and its accounts if there are several."""
    several = len(spec.accounts) > 1
    return f"{spec.told} Through {', '.join(spec.accounts)}." if several else spec.told


def _column(when: str) -> str:
    return when if when.endswith("asks") else f"asks: {when}"
