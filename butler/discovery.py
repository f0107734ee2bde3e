"""Finds the modules: the folders below `modules`; one whose name begins with an underscore is shared by several."""

import importlib
import pkgutil
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

import modules
from butler.contract.errors import ConfigError
from butler.contract.module import Module, ModuleContext
from config.load import wrong_keys


def discover() -> dict[str, type[Module]]:
    """Return module classes by channel."""
    found: dict[str, type[Module]] = {}
    for info in pkgutil.iter_modules(modules.__path__):
        if info.ispkg and not info.name.startswith("_"):
            module: type[Module] = importlib.import_module(f"modules.{info.name}").MODULE
            found[module.channel] = module
    return found


def build_modules(sections: Mapping[str, Mapping[str, Any]], context: ModuleContext) -> list[Module]:
    """Build the modules with a section in the settings, and those that need none; raise `ConfigError`."""
    classes = discover()
    if unknown := sorted(set(sections) - set(classes)):
        raise ConfigError(f"there is no module {unknown[0]!r}; there are {', '.join(sorted(classes))}")
    return [
        kind(check_section(kind, sections.get(channel, {})), context)
        for channel, kind in sorted(classes.items())
        if channel in sections or kind.built_in
    ]


def check_section(kind: type[Module], section: Mapping[str, Any]) -> Any:
    """Return a module's settings, checked by its own model."""
    try:
        return kind.settings_model.model_validate(section)
    except ValidationError as error:
        raise ConfigError(wrong_keys(error, f"modules.{kind.channel}", section)) from error
