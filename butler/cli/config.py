"""Check and show the configuration: implements `butler config`."""

import json
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel

from butler.automations.reading import written_ones
from butler.contract.errors import ConfigError
from butler.contract.module import Module
from butler.discovery import build_modules, check_section, discover
from butler.offline import offline_context, offline_registry, refuse_idle_patterns
from butler.orchestrator.experts.building import build_experts, own_folder
from butler.orchestrator.experts.errors import ExpertError
from config.load import Loaded, load, read_toml


def setting_sections(classes: dict[str, type[Module]]) -> dict[str, set[str]]:
    """Return the keys of each `[modules.<channel>.<identity>]`."""
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
    """Check the settings; return one line. Raise `ConfigError` that lists every fault."""
    from butler.composition.channels import way_to_owner  # noqa: PLC0415 - the daemon is heavy; only this needs it

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
    """Return all effective settings as JSON, defaults included; secrets are named, never shown."""
    loaded = load(path)
    shown = loaded.settings.model_dump(mode="json")
    classes = discover()
    shown["modules"] = {
        channel: check_section(classes[channel], section).model_dump(mode="json")
        for channel, section in loaded.settings.modules.items()
        if channel in classes
    }
    return json.dumps(shown, indent=2, ensure_ascii=False)
