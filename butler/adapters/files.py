"""The paths of contracts: `contract.json` in a module's folder, and beside it the locked versions in `contracts/`."""

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from pydantic import ValidationError

import config
from butler.adapters.errors import ContractFileError
from butler.contract.adapters import AdapterContract
from butler.contract.door import explain
from butler.contract.tables import MODULES

LOCK = Path(next(iter(config.__path__))) / "contracts.lock.json"
DEEPEST = 64
"""The greatest nesting of a file that is read; a contract has about twelve levels."""


@dataclass(frozen=True, slots=True)
class Files:
    """The files of an installation: the folder of modules, and the lock."""

    modules: Path = MODULES
    lock: Path = LOCK

    @property
    def approvals(self) -> Path:
        """The approvals of changes that break tools."""
        return self.lock.with_name("contracts.approvals.toml")

    @property
    def document(self) -> Path:
        """The page that documents every contract."""
        return self.modules / "ADAPTER_CONTRACTS.md"

    def channels(self) -> Iterator[str]:
        """Yield the modules that have a contract, in order."""
        for path in sorted(self.modules.glob("*/contract.json")):
            yield path.parent.name

    def current(self, channel: str) -> Path:
        """Return the path of a module's current contract."""
        return self.modules / channel / "contract.json"

    def kept(self, channel: str) -> Path:
        """Return the folder of a module's locked versions, a file each."""
        return self.modules / channel / "contracts"

    def locked(self, channel: str, version: str) -> Path:
        """Return the path of one locked version of a module's contract."""
        return self.kept(channel) / f"{version}.json"


def read_json(path: Path) -> Any:
    """Read a file; raise `ContractFileError` that names it, also for a duplicate key, one of which would not count.

    Files nested deeper than `DEEPEST` are refused too: code that descends to the leaves would overflow the stack.
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
    """Read a contract from its file; raise `ContractFileError` that says what is wrong in it."""
    try:
        return AdapterContract.model_validate(read_json(path))
    except ValidationError as error:
        raise ContractFileError(f"{path.parent.name}/{path.name} is no contract ({explain(error)})") from None


def write_json(path: Path, value: Any) -> None:
    """Write a value in readable form; the digest does not depend on it."""
    write_text(path, json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a file atomically: an interruption leaves the old one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    half = path.with_name(f".{path.name}.half")
    with half.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    half.replace(path)


def kept_files(files: Files, channel: str) -> list[Path]:
    """Return the files of a module's locked versions, and other files among them."""
    return sorted(files.kept(channel).glob("*.json"))
