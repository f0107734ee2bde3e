"""The variables that hold secrets, as the settings name them: their values never reach a log, an error or a row."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

from pydantic import BaseModel

from butler.agents import fallbacks
from butler.vault import KEY_VARIABLE
from config.load import Loaded


def secret_names(loaded: Loaded) -> list[str]:
    """Return every core variable that holds a secret, and those in the channels' sections."""
    sections = (name for section in loaded.settings.modules.values() for name in variables(section))
    pages = variables(loaded.settings.connector)
    return [*fallbacks.key_variables(loaded.settings.llm), KEY_VARIABLE, *pages, *sections]


def variables(settings: BaseModel | Mapping[str, Any]) -> list[str]:
    """Return the variables that settings name for secrets, at any depth; an address is none."""
    values = list(dict[str, Any](settings).items())
    names = [str(name) for key, name in values if key.endswith("_env") and key != "address_env" and name]
    return names + [name for _, part in values for section in _sections(part) for name in variables(section)]


def _sections(part: Any) -> list[BaseModel | Mapping[str, Any]]:
    """Return the sections in a value: it is one, or several, or none."""
    parts = cast("Sequence[Any]", part) if isinstance(part, list | tuple) else (part,)
    return [one for one in parts if isinstance(one, BaseModel | Mapping)]
