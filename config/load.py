"""Reads butler.toml and the secrets file, once at start; reports each fault in one sentence."""

import os
import re
import stat
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

from config.errors import ConfigError
from config.settings import Settings

_WANTED = {
    "bool_parsing": "write true or false",
    "bool_type": "write true or false",
    "int_parsing": "write a whole number",
    "int_type": "write a whole number",
    "float_parsing": "write a number",
    "float_type": "write a number",
    "string_type": "write a text in quotation marks",
    "tuple_type": "write a list in square brackets",
    "dict_type": "write a table",
    "model_type": "write a table",
}
"""The expected value, by pydantic's name of the error; other errors are reported in pydantic's words."""


@dataclass(frozen=True, slots=True)
class Loaded:
    """Settings, their source, and the secrets."""

    settings: Settings
    path: Path
    data_dir: Path
    key_file: Path
    secrets: Mapping[str, str]


def load(path: Path, environ: Mapping[str, str] | None = None) -> Loaded:
    """Read butler.toml and its secrets file; raise `ConfigError` that says what to change."""
    environ = os.environ if environ is None else environ
    settings = check(read_toml(path), path)
    base = path.resolve().parent
    data_dir, key_file = base / settings.butler.data_dir, base / settings.butler.key_file
    if "key_file" in settings.butler.model_fields_set and key_file.resolve().is_relative_to(data_dir.resolve()):
        raise ConfigError(f"{path}: key_file lies inside of data_dir: whoever has the one would have the other, too")
    secrets = {**read_secrets(base / settings.butler.secrets_file), **environ}
    return Loaded(settings, path, data_dir, key_file, secrets)


def read_toml(path: Path) -> dict[str, Any]:
    """Return butler.toml unchecked; raise `ConfigError` if it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError as error:
        raise ConfigError(f"there is no {path}; `butler init` writes one") from error
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {why_unreadable(error)}") from error
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        if section := _written_twice(text, error):
            raise ConfigError(f"{path}: {section} stands there twice; put all its lines into one section") from error
        raise ConfigError(f"{path} is not valid TOML: {error}") from error


def _written_twice(text: str, error: tomllib.TOMLDecodeError) -> str:
    """Return the title of a duplicate section; empty if that is not the fault."""
    place = re.match(r"Cannot declare .* twice \(at line (\d+),", str(error))
    title = re.compile(r"\s*(\[[^\[\]]+\])")
    titles = {number: found[1] for number, line in enumerate(text.split("\n"), 1) if (found := title.match(line))}
    section = titles.get(int(place[1]), "") if place else ""
    return section if list(titles.values()).count(section) > 1 else ""


def why_unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Return why a file cannot be read, in words for people."""
    match error:
        case FileNotFoundError():
            return "there is no such file"
        case IsADirectoryError():
            return "it is a folder"
        case PermissionError():
            return "this user may not read it"
        case UnicodeDecodeError():
            return "it is no text in UTF-8"
        case _:
            return error.strerror or "the system gives no reason"


def check(raw: Mapping[str, Any], path: Path) -> Settings:
    """Return the settings, or raise `ConfigError` that names each wrong key."""
    try:
        return Settings.model_validate(raw)
    except ValidationError as error:
        raise ConfigError(f"{path}: {wrong_keys(error)}") from error


def wrong_keys(error: ValidationError, prefix: str = "", raw: Any = None) -> str:
    """Return each wrong key with its fault, without the value: it may be a secret. `raw` is what was checked."""
    lines: list[str] = []
    for item in error.errors(include_input=False, include_url=False):
        key = _key([*filter(None, [prefix]), *_in_file(item["loc"], raw)])
        if item["type"] == "extra_forbidden":
            lines.append(f"{key} is no setting that Butler knows")
        elif item["type"] == "missing":
            lines.append(f"{key} is missing")
        else:
            lines.append(f"{key}: {_WANTED.get(item['type']) or item['msg'].removeprefix('Value error, ')}")
    return "; ".join(lines)


def _in_file(place: Sequence[str | int], raw: Any) -> Iterator[str | int]:
    """Yield the keys of a location as in the file: pydantic also names the model that it chose for a section."""
    here = raw
    for at, part in enumerate(place):
        if not isinstance(here, Mapping):
            yield part
            continue
        section = cast("Mapping[str | int, Any]", here)
        if part in section or at == len(place) - 1:
            here = section.get(part)
            yield part


def _key(parts: Sequence[str | int]) -> str:
    """Return a setting in the notation of the file: `name of the 1st [[contacts]]`, counted from one."""
    place = next((index for index, part in enumerate(parts) if isinstance(part, int)), None)
    if place is None:
        return ".".join(map(str, parts))
    title, number = ".".join(map(str, parts[:place])), ordinal(int(parts[place]) + 1)
    if place + 1 == len(parts):
        return f"the {number} of {title}"
    return f"{_key(parts[place + 1 :])} of the {number} [[{title}]]"


def ordinal(number: int) -> str:
    """Return 1st, 2nd, 3rd, 4th, 11th, 21st."""
    ending = "th" if number % 100 in {11, 12, 13} else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{ending}"


def read_secrets(path: Path) -> dict[str, str]:
    """Read lines of NAME=value; raise `ConfigError` if others can read the file."""
    try:
        mode = path.stat().st_mode
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {why_unreadable(error)}") from error
    if mode & (stat.S_IRWXG | stat.S_IRWXO):
        raise ConfigError(f"{path} can be read by others; run `chmod 600 {path}`")
    pairs = (line.partition("=") for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#"))
    return {name.strip(): value.strip().strip("'\"") for name, found, value in pairs if found}
