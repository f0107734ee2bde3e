"""What the commands that only look print: configuration and tools."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from butler.automations.reading import written_ones
from butler.contract.errors import ConfigError
from butler.contract.module import Module
from butler.contract.tools import ToolSpec
from butler.discovery import build_modules, check_section, discover
from butler.offline import offline_context, offline_registry, refuse_idle_patterns
from butler.orchestrator.experts.building import build_experts, own_folder
from butler.orchestrator.experts.errors import ExpertError
from butler.registry import Registry
from config.load import Loaded, load, read_toml


def setting_sections(classes: dict[str, type[Module]]) -> dict[str, set[str]]:
    """The keys of each `[modules.<channel>.<identity>]`."""
    sections: dict[str, set[str]] = {}
    for channel, kind in classes.items():
        sections[channel] = set()
        for identity, field in kind.settings_model.model_fields.items():
            model = next((part for part in _parts(field.annotation) if issubclass(part, BaseModel)), None)
            if model is not None:
                sections[f"{channel}.{identity}"] = set(model.model_fields)
    return sections


def _parts(annotation: Any) -> list[type]:
    found = [annotation, *getattr(annotation, "__args__", ())]
    return [part for part in found if isinstance(part, type)]


def check_config(path: Path) -> str:
    """One line; raises `ConfigError` that tells every fault at once."""
    from butler.app import way_to_owner  # noqa: PLC0415 - the daemon is heavy, and only this looks at its wiring

    faults: list[str] = []
    found = read_toml(path).get("modules")
    sections = cast("dict[str, Any]", found) if isinstance(found, dict) else {}
    loaded: Loaded | None = None
    try:
        loaded = load(path)
        refuse_idle_patterns(loaded.settings, path)
        build_experts(own_folder(loaded.settings.experts.folder, path))
        written_ones(loaded, offline_registry()[0].specs())
    except ExpertError as error:
        faults.append(str(error))
    except ConfigError as error:
        faults.append(error.detail)
    modules: list[Module] = []
    for channel, section in sections.items():
        try:
            modules += build_modules({channel: section}, offline_context())
        except ConfigError as error:
            faults.append(f"{path}: {error.detail}")
    if loaded and not faults:
        way_to_owner(modules, loaded.secrets)
    if faults:
        raise ConfigError("; ".join(faults))
    return f"{path} works."


def show_config(path: Path) -> str:
    """All settings in force as JSON, defaults included; secrets are named, never shown."""
    loaded = load(path)
    shown = loaded.settings.model_dump(mode="json")
    classes = discover()
    shown["modules"] = {
        channel: check_section(classes[channel], section).model_dump(mode="json")
        for channel, section in loaded.settings.modules.items()
        if channel in classes
    }
    return json.dumps(shown, indent=2, ensure_ascii=False)


def asks(registry: Registry, spec: ToolSpec) -> str:
    """When a tool asks, in a word or two. A read of what is private does, whatever its default says."""
    return "private: asks" if registry.metadata(spec.tool_name).sensitive_read else spec.approval_default.value


def list_tools(path: Path, *, as_json: bool) -> str:
    """Every tool there is, with the accounts that the configuration gives it."""
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
    """A tool of what is not set up has no accounts; those that it is shown with otherwise are the example's."""
    return spec if spec.identity.value in sections.get(spec.channel, {}) else replace(spec, accounts=())


def _described(spec: ToolSpec) -> str:
    """What a tool does, and through which accounts where there is more than one."""
    several = len(spec.accounts) > 1
    return f"{spec.told} Through {', '.join(spec.accounts)}." if several else spec.told


def _column(when: str) -> str:
    return when if when.endswith("asks") else f"asks: {when}"
