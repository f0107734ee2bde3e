"""Which variables hold secrets, as the settings name them: their values never reach a log, an error or a row."""

from collections.abc import Mapping
from typing import Any, cast

from pydantic import BaseModel

from butler.agents import fallbacks
from butler.vault import KEY_VARIABLE
from config.load import Loaded


def secret_names(loaded: Loaded) -> list[str]:
    """Every variable of the house itself that holds a secret, and those that the channels' sections name."""
    sections = (name for section in loaded.settings.modules.values() for name in variables(section))
    pages = variables(loaded.settings.connector)
    return [*fallbacks.key_variables(loaded.settings.llm), KEY_VARIABLE, *pages, *sections]


def variables(settings: BaseModel | Mapping[str, Any]) -> list[str]:
    """The variables that settings name for secrets, however deep they stand; an address is none."""
    values = dict(settings).items()
    names = [str(name) for key, name in values if key.endswith("_env") and key != "address_env" and name]
    nested = (
        cast("BaseModel | Mapping[str, Any]", part) for _, part in values if isinstance(part, BaseModel | Mapping)
    )
    return names + [name for part in nested for name in variables(part)]
