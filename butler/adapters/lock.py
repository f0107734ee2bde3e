"""The lock: the digest of every released version of every contract, and of every method's schemas.

It defines "frozen": a contract whose digest is not the locked one is not used, whoever changed it.
"""

from pathlib import Path
from typing import Self

from pydantic import BaseModel, ConfigDict, ValidationError

from butler.adapters.errors import ContractFileError
from butler.adapters.files import Files, read_contract, read_json, write_json
from butler.adapters.schema_reading import structure
from butler.contract.adapters import AdapterContract, AdapterOperation, digest_of
from butler.contract.door import explain
from butler.contract.integration import Json, MethodSpec
from butler.contract.records import ClosedRecord


class LockedAdapter(ClosedRecord):
    """One adapter: its current version, and the digest of each usable version."""

    channel: str
    version: str
    digests: dict[str, str]
    """By version."""


class Lock(BaseModel):
    """The contents of `config/contracts.lock.json`."""

    model_config = ConfigDict(extra="forbid")

    adapters: dict[str, LockedAdapter]
    methods: dict[str, str]
    """The digest of both schemas of every method, of all integrations, by `method_id`: a `.v1` is never redefined."""
    retired: dict[str, str]
    """The same for methods that the code no longer has: their ids are never reused."""
    document: str
    """The digest of `modules/ADAPTER_CONTRACTS.md`."""

    @classmethod
    def empty(cls) -> Self:
        """Return a lock without entries."""
        return cls(adapters={}, methods={}, retired={}, document="")


def read_lock(files: Files) -> Lock:
    """Read the lock; raise `ContractFileError`."""
    try:
        return Lock.model_validate(read_json(files.lock))
    except ValidationError as error:
        raise ContractFileError(f"{files.lock.name} is no lock of contracts ({explain(error)})") from None


def write_lock(files: Files, lock: Lock) -> None:
    """Write the lock; only `butler contracts bump` does."""
    write_json(files.lock, lock.model_dump(mode="json"))


def method_digest(spec: MethodSpec) -> str:
    """Return the digest that is locked for a method: of its id, and both schemas without descriptions."""
    return _digest(spec.method_id, spec.input_schema, spec.output_schema)


def operation_digest(operation: AdapterOperation) -> str:
    """Return the digest of the method behind an operation, from its contract."""
    return _digest(operation.method_id, operation.input, operation.output)


def _digest(method_id: str, takes: Json, gives: Json) -> str:
    return digest_of({"method_id": method_id, "input": structure(takes), "output": structure(gives)})


def read_locked(files: Files, adapter_id: str, locked: LockedAdapter, version: str) -> AdapterContract:
    """Read the kept copy of a locked version; raise `ContractFileError` if it is not what was locked."""
    path = files.locked(locked.channel, version)
    contract = read_contract(path)
    refuse_changed(contract, adapter_id, locked, version, path)
    return contract


def refuse_changed(contract: AdapterContract, adapter_id: str, locked: LockedAdapter, version: str, path: Path) -> None:
    """Raise `ContractFileError` if a contract from a file is not the version that was locked."""
    named = (contract.adapter_id, contract.version)
    if named != (adapter_id, version) or contract.digest != locked.digests.get(version):
        where = f"{path.parent.name}/{path.name}"
        todo = "`butler contracts check` says how, and what to do"
        raise ContractFileError(f"{where} is not {adapter_id} {version} as it was locked; {todo}")
