"""Which versions of a contract the code can still serve, and which methods were redefined under the same id."""

from collections.abc import Iterator, Mapping
from contextlib import suppress

from butler.adapters.changes import ChangeKind, method_changes
from butler.adapters.errors import ContractFileError
from butler.adapters.files import Files
from butler.adapters.lock import Lock, method_digest, read_locked
from butler.contract.adapters import AdapterContract
from butler.contract.integration import MethodSpec


def lost_methods(contract: AdapterContract, methods: Mapping[str, MethodSpec]) -> list[str]:
    """Return the methods of a contract that were removed or redefined: it cannot be served with any."""
    return sorted(
        {operation.method_id for name, operation in contract.operations.items() if not _still(contract, name, methods)}
    )


def _still(contract: AdapterContract, name: str, methods: Mapping[str, MethodSpec]) -> bool:
    old = contract.operations[name]
    method = methods.get(old.method_id)
    if method is None:
        return False
    new = old.model_copy(update={"input": method.input_schema, "output": method.output_schema})
    return all(change.kind is not ChangeKind.BREAKING for change in method_changes(name, old, new))


def redefined(lock: Lock, methods: Mapping[str, MethodSpec]) -> Iterator[str]:
    """Yield the ids of methods whose schemas are not those that were locked, now or before they were retired."""
    for method_id, spec in sorted(methods.items()):
        known = lock.methods.get(method_id) or lock.retired.get(method_id)
        if known is not None and known != method_digest(spec):
            yield method_id


def redefined_behind(lock: Lock, methods: Mapping[str, MethodSpec], frozen: AdapterContract) -> list[str]:
    """Return the redefined ids of an adapter's methods: one behind an operation may accept more than before."""
    if not (changed := list(redefined(lock, methods))):
        return []
    lost = lost_methods(frozen, methods)
    behind = {operation.method_id for operation in frozen.operations.values()}
    return [one for one in changed if one in lost or one not in behind]


def adapters_behind(files: Files, lock: Lock) -> dict[str, str]:
    """Return the methods behind the operations of what is locked, each with its adapter."""
    found: dict[str, str] = {}
    for adapter_id, locked in sorted(lock.adapters.items()):
        for version in locked.digests:
            with suppress(ContractFileError):  # that it cannot be read is a fault of its own
                contract = read_locked(files, adapter_id, locked, version)
                found |= {operation.method_id: adapter_id for operation in contract.operations.values()}
    return found


def redefinition(method_id: str) -> str:
    """Return the fault for a redefined method."""
    stem, number = method_id.rsplit(".v", 1)
    return f"{method_id} is not as it was locked; take it back, or call the new one {stem}.v{int(number) + 1}"
