"""Automations in files: `[[automations]]` of butler.toml, and of each file in `automations/` beside it, unchecked."""

import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from config.errors import ConfigError
from config.load import Loaded, why_unreadable

FOLDER = "automations"


def written(loaded: Loaded) -> Mapping[Path, Mapping[str, Any]]:
    """Return the contents of each file, unchecked. Raise `ConfigError` for an unreadable file."""
    found: dict[Path, Mapping[str, Any]] = {}
    if loaded.settings.automations:
        found[loaded.path] = {
            "automations": [one.model_dump(exclude_unset=True) for one in loaded.settings.automations]
        }
    folder = loaded.path.resolve().parent / FOLDER
    for path in sorted(folder.glob("*.toml")):
        found[path] = read(path)
    return found


def read(path: Path) -> Mapping[str, Any]:
    """Read one file. Raise `ConfigError`."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {why_unreadable(error)}") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
