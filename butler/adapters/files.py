"""Where contracts lie: `contract.json` in a module's folder, and beside it the locked versions in `contracts/`."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

import config
from butler.contract.adapters import AdapterContract
from butler.contract.door import explain
from butler.contract.errors import ContractFileError

MODULES = Path(next(iter(config.__path__))).parent / "modules"
"""They are packages of one application, side by side; which the daemon makes sure of at its start."""
LOCK = Path(next(iter(config.__path__))) / "contracts.lock.json"


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
    """Raises `ContractFileError` that names the file."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ContractFileError(f"{path.name} is missing from {path.parent.name}") from None
    except (OSError, ValueError):
        raise ContractFileError(f"{path.parent.name}/{path.name} is no JSON that can be read") from None


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
