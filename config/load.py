"""butler.toml and the secrets file, read once at start; everything wrong in them is said in one sentence each."""

import os
import stat
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from config.errors import ConfigError
from config.settings import Settings


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, where they came from, and the secrets beside them."""

    settings: Settings
    path: Path
    data_dir: Path
    secrets: Mapping[str, str]


def load(path: Path, environ: Mapping[str, str] | None = None) -> Loaded:
    """Read butler.toml and its secrets file; raises `ConfigError` that says what to change."""
    environ = os.environ if environ is None else environ
    try:
        raw = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"there is no {path}; `butler init` writes one") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read ({type(error).__name__})") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not valid TOML: {error}") from error
    settings = check(raw, path)
    base = path.resolve().parent
    secrets = {**read_secrets(base / settings.butler.secrets_file), **environ}
    return Loaded(settings, path, base / settings.butler.data_dir, secrets)


def check(raw: Mapping[str, Any], path: Path) -> Settings:
    """The settings, or a `ConfigError` that names each wrong key."""
    try:
        return Settings.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{path}: {wrong_keys(error)}") from error


def wrong_keys(error: ValidationError, prefix: str = "") -> str:
    """Each wrong key and what is wrong with it, without the value: it may be a secret."""
    lines: list[str] = []
    for item in error.errors(include_input=False, include_url=False):
        key = ".".join([prefix, *map(str, item["loc"])]).strip(".")
        if item["type"] == "extra_forbidden":
            lines.append(f"{key} is no setting that Butler knows")
        elif item["type"] == "missing":
            lines.append(f"{key} is missing")
        else:
            lines.append(f"{key}: {item['msg'].removeprefix('Value error, ')}")
    return "; ".join(lines)


def read_secrets(path: Path) -> dict[str, str]:
    """Lines of NAME=value; raises `ConfigError` when others can read the file."""
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read ({type(error).__name__})") from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigError(f"{path} can be read by others; run `chmod 600 {path}`")
    pairs = (line.partition("=") for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip().strip("'\"") for name, found, value in pairs if found}
