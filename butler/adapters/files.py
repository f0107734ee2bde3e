"""Where contracts lie: `contract.json` in a module's folder, and beside it the locked versions in `contracts/`."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

import config
from butler.contract.adapters import AdapterContract
from butler.contract.door import explain
from butler.contract.errors import ContractFileError

MODULES = Path(next(iter(config.__path__))).parent / "modules"
"""They are packages of one application, side by side; which the daemon makes sure of at its start."""
LOCK = Path(next(iter(config.__path__))) / "contracts.lock.json"
DEEPEST = 64
"""Levels of a file that are read; a contract has some twelve."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files of one house: the folder of modules, and the lock."""

    modules: Path = MODULES
    lock: Path = LOCK

    @property
    def approvals(self) -> Path:
        """Where somebody has agreed to changes that break tools."""
        return self.lock.with_name("contracts.approvals.toml")

    @property
    def document(self) -> Path:
        """The page that tells people of every contract."""
        return self.modules / "ADAPTER_CONTRACTS.md"

    def channels(self) -> Iterator[str]:
        """The modules that have a contract, in order."""
        for path in sorted(self.modules.glob("*/contract.json")):
            yield path.parent.name

    def current(self, channel: str) -> Path:
        """A module's contract as it stands."""
        return self.modules / channel / "contract.json"

    def kept(self, channel: str) -> Path:
        """The folder of a module's locked versions, a file each."""
        return self.modules / channel / "contracts"

    def locked(self, channel: str, version: str) -> Path:
        """One locked version of a module's contract."""
        return self.kept(channel) / f"{version}.json"


def read_json(path: Path) -> Any:
    """Raises `ContractFileError` that names the file; also where a key stands twice, since one of them would not count.

    What is nested deeper than `DEEPEST` is not read either: whatever follows it to its leaves would end in the middle.
    """
    try:
        value = json.loads(path.read_text(encoding="utf-8"), object_pairs_hook=_once)
    except FileNotFoundError:
        raise ContractFileError(f"{path.name} is missing from {path.parent.name}") from None
    except _TwiceError as error:
        raise ContractFileError(f"{path.parent.name}/{path.name} has the key {error} twice") from None
    except (OSError, ValueError, RecursionError):
        raise ContractFileError(f"{path.parent.name}/{path.name} is no JSON that can be read") from None
    if _is_too_deep(value):
        raise ContractFileError(f"{path.parent.name}/{path.name} is nested deeper than {DEEPEST} levels")
    return value


class _TwiceError(Exception):
    """An object has this key twice."""


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _TwiceError(key)
        found[key] = value
    return found


def _is_too_deep(value: Any) -> bool:
    layer = [value]
    for _ in range(DEEPEST):
        layer = [part for one in layer for part in _parts(one)]
    return bool(layer)


def _parts(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return cast("dict[str, Any]", value).values()
    return cast("list[Any]", value) if isinstance(value, list) else ()


def read_contract(path: Path) -> AdapterContract:
    """A contract from its file; raises `ContractFileError` that says what is wrong in it."""
    try:
        return AdapterContract.model_validate(read_json(path))
    except ValidationError as error:
        raise ContractFileError(f"{path.parent.name}/{path.name} is no contract ({explain(error)})") from None


def write_json(path: Path, value: Any) -> None:
    """Write a value as people read it; the digest does not depend on how."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file whole or not at all: whoever is stopped midway leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.half")
    with half.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def kept_files(files: Files, channel: str) -> list[Path]:
    """The files of a module's locked versions, and whatever else lies among them."""
    return sorted(files.kept(channel).glob("*.json"))
