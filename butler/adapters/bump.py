"""Locking what code says: a new version of an adapter's contract, with all files that belong to it.

The lock is written last. Whoever is stopped midway leaves files that are not the locked ones, which
`butler contracts check` refuses; doing it again puts them right.
"""

from butler.adapters.code import Code, CodedAdapter
from butler.adapters.document import document, text_digest
from butler.adapters.files import Files, kept_versions, write_json, write_text
from butler.adapters.lock import Lock, LockedAdapter, method_digest, read_lock, write_lock
from butler.contract.adapters import AdapterContract
from butler.contract.errors import ContractFileError

FIRST = "1.0.0"


def bump(files: Files, code: Code, adapter_id: str, *, first: bool = False) -> list[str]:
    """Lock an adapter's contract as its code has it now; what was done, a sentence each.

    `first` forgets every version that the adapter had and locks it anew as 1.0.0. Raises `ContractFileError`.
    """
    coded = code.adapters.get(adapter_id)
    if coded is None:
        unread = "".join(f"; modules/{channel} cannot be read: {why}" for channel, why in code.unread.items())
        raise ContractFileError(f"no module has the adapter {adapter_id}{unread}")
    lock = read_lock(files)
    if adapter_id in lock.adapters and not first:
        raise ContractFileError(f"{adapter_id} is locked already; `--first` locks it anew as {FIRST}")
    contract = coded.contract.model_copy(update={"version": FIRST})
    locked = LockedAdapter(channel=coded.channel, version=FIRST, digests={FIRST: contract.digest})
    lock.adapters[adapter_id] = locked
    for method_id, spec in coded.methods.items():
        lock.methods[method_id] = method_digest(spec)
    return [f"{adapter_id} {FIRST} is locked.", *_write(files, lock, coded, contract)]


def _write(files: Files, lock: Lock, coded: CodedAdapter, contract: AdapterContract) -> list[str]:
    """Every file of a contract, the lock last; and away with the versions that it no longer has."""
    written = [
        files.locked(coded.channel, contract.version),
        files.current(coded.channel),
        files.document,
        files.lock,
    ]
    write_json(written[0], contract.model_dump(mode="json"))
    write_json(written[1], contract.model_dump(mode="json"))
    page = document(files, lock)
    lock.document = text_digest(page)
    write_text(files.document, page)
    write_lock(files, lock)
    said = [f"Written: {path.relative_to(files.modules.parent)}" for path in written]
    for version in kept_versions(files, coded.channel):
        if str(version) not in lock.adapters[contract.adapter_id].digests:
            files.locked(coded.channel, str(version)).unlink()
            said.append(f"Dropped: {version}")
    return said
