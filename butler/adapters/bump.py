"""Locks what code says: a new version of an adapter's contract, with everything that belongs to it."""

from collections.abc import Iterable, Sequence

from butler.adapters.approvals import GONE, Approval, is_committed, is_new, read_approvals
from butler.adapters.changes import Change, ChangeKind, changes_between, kind_of, next_version
from butler.adapters.code import Code, CodedAdapter
from butler.adapters.errors import ContractFileError
from butler.adapters.files import Files, read_contract
from butler.adapters.lock import Lock, LockedAdapter, method_digest, read_lock, read_locked
from butler.adapters.served import adapters_behind, lost_methods, redefined, redefined_behind, redefinition
from butler.adapters.version import Version
from butler.adapters.writing import drop_contract, write_contract, write_page_and_lock
from butler.contract.adapters import AdapterContract
from butler.contract.errors import Refuse

FIRST = "1.0.0"


def bump(files: Files, code: Code, adapter_id: str, *, first: bool = False) -> list[str]:
    """Lock an adapter's contract as its code has it now, under the version that the changes need.

    `first` locks an adapter that was never released again as 1.0.0, without its versions and their methods; ids that
    were retired before stay retired. Returns what was done, a line each, and the tools made for an older version.
    Raises `Refuse` or `ContractFileError`.
    """
    lock = read_lock(files)
    coded = code.adapters.get(adapter_id)
    if coded is None:
        return _remove(files, lock, code, adapter_id)
    if duplicates := code.duplicates_of(adapter_id):
        raise Refuse(duplicates)
    if first and adapter_id in lock.adapters:
        _refuse_given_out(files, lock.adapters[adapter_id], adapter_id)
        _forget(files, lock, coded)
    if adapter_id not in lock.adapters:
        return _lock_first(files, lock, coded)
    return _lock_next(files, lock, code, coded)


def lock_methods(files: Files, code: Code) -> list[str]:
    """Lock the new methods of no adapter, and retire removed ones; return what was done, a line each.

    Raises `Refuse` if one was redefined, or if a module cannot be read, so that it is unknown what was removed.
    """
    if code.unread:
        raise Refuse("; ".join(f"modules/{channel} cannot be read: {why}" for channel, why in code.unread.items()))
    lock = read_lock(files)
    behind = {method_id for coded in code.adapters.values() for method_id in coded.methods}
    own = {method_id: spec for method_id, spec in code.methods.items() if method_id not in behind}
    _refuse_redefined(redefined(lock, own))
    of_adapters = adapters_behind(files, lock).keys()
    new = sorted(own.keys() - lock.methods.keys())
    gone = sorted(lock.methods.keys() - code.methods.keys() - of_adapters)
    lock.methods |= {method_id: method_digest(own[method_id]) for method_id in new}
    _retire(lock, gone)
    if not new and not gone:
        return ["Every method is as it was locked."]
    write_page_and_lock(files, lock)
    return [*(f"Locked: {method_id}" for method_id in new), *(f"Retired: {method_id}" for method_id in gone)]


def _lock_first(files: Files, lock: Lock, coded: CodedAdapter) -> list[str]:
    _refuse_redefined(redefined(lock, coded.methods))
    contract = coded.contract.model_copy(update={"version": FIRST})
    _put(lock, coded, contract, {})
    return [f"{contract.adapter_id} {FIRST} is locked.", *write_contract(files, lock, contract)]


def _lock_next(files: Files, lock: Lock, code: Code, coded: CodedAdapter) -> list[str]:
    adapter_id = coded.contract.adapter_id
    locked = lock.adapters[adapter_id]
    if locked.channel != coded.channel:
        raise Refuse(
            f"{adapter_id} belongs to modules/{locked.channel}; in modules/{coded.channel} it needs another id"
        )
    old = read_locked(files, adapter_id, locked, locked.version)
    changes = changes_between(old, coded.contract)
    _refuse_redefined(redefined_behind(lock, coded.methods, old), changes)
    kind = kind_of(changes)
    contract = coded.contract.model_copy(update={"version": str(next_version(Version.parse(locked.version), kind))})
    if kind is ChangeKind.BREAKING:
        _refuse_unapproved(files, adapter_id, contract.version, contract.digest, changes)
    kept = _still_used(files, locked, code, coded)
    _retire(lock, _methods_of(files, locked) - coded.methods.keys())
    _put(lock, coded, contract, kept)
    lines = [f"{adapter_id} {locked.version}: {change}" for change in changes]
    lines += [f"{adapter_id} {contract.version} is locked."] if changes else [f"{adapter_id} is as it was locked."]
    return [*lines, *write_contract(files, lock, contract), *_to_update(files, code, contract)]


def _remove(files: Files, lock: Lock, code: Code, adapter_id: str) -> list[str]:
    """Remove from the lock an adapter that the code no longer has; this needs an approval, as nothing breaks more."""
    unread = "".join(f"; modules/{channel} cannot be read: {why}" for channel, why in code.unread.items())
    locked = lock.adapters.get(adapter_id)
    if locked is None or locked.channel in code.unread:
        raise ContractFileError(f"no module has the adapter {adapter_id}{unread}")
    old = read_locked(files, adapter_id, locked, locked.version)
    _refuse_unapproved(files, adapter_id, GONE, old.digest, changes_between(old, None))
    _retire(lock, _methods_of(files, locked))
    del lock.adapters[adapter_id]
    write_page_and_lock(files, lock)
    lines = [f"{tool.tool_name} is made for it and has to go, too." for tool in code.made_for(adapter_id)]
    return [f"{adapter_id} is locked no more.", *drop_contract(files, locked.channel), *lines]


def _forget(files: Files, lock: Lock, coded: CodedAdapter) -> None:
    """Remove an adapter and its methods from the lock without a trace, except for what was retired before."""
    locked = lock.adapters.pop(coded.contract.adapter_id)
    for method_id in _methods_of(files, locked) | coded.methods.keys():
        lock.methods.pop(method_id, None)


def _refuse_given_out(files: Files, locked: LockedAdapter, adapter_id: str) -> None:
    """Refuse for a committed contract, which may be in use, unless it is under `draft`, which is on record too."""
    if is_new(files.locked(locked.channel, locked.version)):
        return
    if adapter_id not in read_approvals(files).draft:
        raise Refuse(f"{adapter_id} was given out, so its versions stay; leave out --first")
    if not is_committed(files.approvals):
        raise Refuse(f"commit {files.approvals.name} first: that {adapter_id} is a draft has to be on record")


def _put(lock: Lock, coded: CodedAdapter, contract: AdapterContract, kept: dict[str, str]) -> None:
    """Make a contract its adapter's current one, beside older versions, and lock the methods behind it."""
    digests = kept | {contract.version: contract.digest}
    locked = LockedAdapter(channel=coded.channel, version=contract.version, digests=digests)
    lock.adapters[contract.adapter_id] = locked
    for method_id, spec in coded.methods.items():
        lock.methods[method_id] = method_digest(spec)
        lock.retired.pop(method_id, None)


def _retire(lock: Lock, method_ids: Iterable[str]) -> None:
    for method_id in method_ids:
        if (digest := lock.methods.pop(method_id, None)) is not None:
            lock.retired[method_id] = digest


def _methods_of(files: Files, locked: LockedAdapter) -> set[str]:
    """Return the methods behind every locked version whose file exists."""
    found: set[str] = set()
    for version in locked.digests:
        if (path := files.locked(locked.channel, version)).exists():
            contract = read_contract(path)
            found |= {operation.method_id for operation in contract.operations.values()}
    return found


def _refuse_redefined(method_ids: Iterable[str], changes: Sequence[Change] = ()) -> None:
    if lines := [redefinition(method_id) for method_id in method_ids]:
        breaking = [change.sentence for change in changes if change.kind is ChangeKind.BREAKING]
        raise Refuse("; ".join([*breaking, *lines]))


def _refuse_unapproved(files: Files, adapter_id: str, version: str, digest: str, changes: Sequence[Change]) -> None:
    approval = read_approvals(files).find(adapter_id, version)
    breaking = "\n".join(f"  {change}" for change in changes if change.kind is ChangeKind.BREAKING)
    if approval is None or approval.digest != digest:
        entry = Approval(adapter=adapter_id, version=version, digest=digest, reason="why", by="who").entry
        todo = f"to agree to it, put this into {files.approvals.name}, commit it, and do this again"
        raise Refuse(f"{adapter_id} would break tools:\n{breaking}\n{todo}:\n\n{entry}")
    if not is_committed(files.approvals):
        raise Refuse(f"commit {files.approvals.name} first: a change that breaks tools needs an approval on record")


def _still_used(files: Files, locked: LockedAdapter, code: Code, coded: CodedAdapter) -> dict[str, str]:
    """Return the digests of older versions that a tool is made for, and whose methods the code still has."""
    adapter_id = coded.contract.adapter_id
    wanted = {tool.adapter_contract_version for tool in code.made_for(adapter_id)}
    return {
        version: digest
        for version, digest in locked.digests.items()
        if version in wanted and not lost_methods(read_locked(files, adapter_id, locked, version), coded.methods)
    }


def _to_update(files: Files, code: Code, contract: AdapterContract) -> Iterable[str]:
    """Yield the tools made for another version, with the place that says so."""
    version = Version.parse(contract.version)
    for tool in code.made_for(contract.adapter_id):
        made_for = tool.adapter_contract_version or "0.0.0"
        if made_for == contract.version:
            continue
        serves = version.serves(Version.parse(made_for))
        needs = "may be updated" if serves else "has to be updated"
        where = code.place_of(files.modules, tool)
        yield f"{tool.tool_name} ({where}) is made for {made_for} and {needs} to {contract.version}."
