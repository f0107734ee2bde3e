"""Checks the lock against earlier commits: what was released stays, even if the files agree with one another."""

from collections.abc import Iterator, Sequence

from butler.adapters.approvals import GONE, Approvals, read_approvals
from butler.adapters.changes import changes_between, kind_of, next_version
from butler.adapters.errors import ContractFileError
from butler.adapters.files import Files, read_contract
from butler.adapters.history import History, Released, ReleasedVersion
from butler.adapters.lock import Lock, LockedAdapter, read_lock
from butler.adapters.version import Version

_TODO = "take it back, and lock what changed as a new version: `butler contracts bump {adapter}`"


def check_history(files: Files, bases: Sequence[str] = ()) -> tuple[list[str], str]:
    """Return every fault, and why the comparison is incomplete; empty if it is complete.

    Raises `Refuse` if one of the bases does not exist.
    """
    history = History(files)
    released = history.released(bases)
    try:
        lock, approvals = read_lock(files), read_approvals(files)
    except ContractFileError:
        return [], released.missing  # `check` reports it.
    faults = [
        *_changed_versions(lock, released),
        *_removed_without_approval(lock, approvals, released),
        *(fault for one in sorted(lock.adapters) for fault in _number(files, lock, one, history, released)),
        *_methods(files, lock, history, released),
    ]
    return faults, released.missing


def _changed_versions(lock: Lock, released: Released) -> Iterator[str]:
    """Check that a version stands for one contract forever."""
    for adapter_id, locked in sorted(lock.adapters.items()):
        for version, digest in sorted(locked.digests.items()):
            first = released.versions.get((adapter_id, version))
            if first is not None and first.digest != digest:
                text = f"{adapter_id} {version} is not what commit {_short(first.commit)} gave out as {version}"
                yield f"{text}; {_TODO.format(adapter=adapter_id)}"


def _removed_without_approval(lock: Lock, approvals: Approvals, released: Released) -> Iterator[str]:
    """Check that no released adapter is dropped from the lock without an approval."""
    for adapter_id in sorted({one.adapter_id for one in released.versions.values()} - lock.adapters.keys()):
        if approvals.find(adapter_id, GONE) is None:
            last = released.of(adapter_id)[-1]
            text = f"{adapter_id} was given out by commit {_short(last.commit)} and is locked no more"
            yield f"breaking: {text}; bring it back, or have its end approved: `butler contracts bump {adapter_id}`"


def _number(files: Files, lock: Lock, adapter_id: str, history: History, released: Released) -> Iterator[str]:
    """Check the current version against the previously released one: it must rise as far as the changes need."""
    locked = lock.adapters[adapter_id]
    try:
        version = Version.parse(locked.version)
    except ContractFileError:
        return  # `check` reports it.
    given = released.of(adapter_id)
    if given and version < Version.parse(given[-1].version):
        text = f"{adapter_id} goes back to {version}, and {given[-1].version} was given out"
        yield f"{text} by commit {_short(given[-1].commit)}; {_TODO.format(adapter=adapter_id)}"
        return
    before = [one for one in given if Version.parse(one.version) < version]
    if before:
        yield from _too_small(files, locked, version, before[-1], history)


def _too_small(
    files: Files, locked: LockedAdapter, version: Version, before: ReleasedVersion, history: History
) -> Iterator[str]:
    old = history.contract(before)
    try:
        new = read_contract(files.locked(locked.channel, str(version)))
    except ContractFileError:
        return  # `check` reports it.
    if old is None or old.digest != before.digest:
        yield f"commit {_short(before.commit)} has no readable copy of {before.adapter_id} {before.version}"
        return
    changes = changes_between(old, new)
    kind = kind_of(changes)
    needed = next_version(Version.parse(before.version), kind) if kind is not None else version
    if version < needed:
        what = "; ".join(map(str, changes))
        text = f"{before.adapter_id} {version} differs from {before.version} ({what}), which needs {needed}"
        yield f"{text}; {_TODO.format(adapter=before.adapter_id)}"


def _methods(files: Files, lock: Lock, history: History, released: Released) -> Iterator[str]:
    """Check that a method's id stands for one pair of schemas forever; contracts cover those behind an operation."""
    behind = _behind(files, lock, history, released)
    now = {**lock.methods, **lock.retired}
    for method_id, (digest, commit) in sorted(released.methods.items()):
        if method_id not in now:
            text = f"{method_id} was given out by commit {_short(commit)} and is neither locked nor retired"
            yield f"{text}; `butler contracts bump --methods` retires what is gone"
        elif method_id not in behind and now[method_id] != digest:
            text = f"{method_id} is not what commit {_short(commit)} gave out"
            yield f"{text}; take it back, and give what changed another id"


def _behind(files: Files, lock: Lock, history: History, released: Released) -> frozenset[str]:
    """Return the methods that were ever behind an operation of a contract."""
    contracts = [history.contract(one) for one in released.versions.values()]
    for locked in lock.adapters.values():
        try:
            contracts.append(read_contract(files.current(locked.channel)))
        except ContractFileError:
            continue  # `check` reports it.
    every = (one.operations.values() for one in contracts if one is not None)
    return frozenset(operation.method_id for operations in every for operation in operations)


def _short(commit: str) -> str:
    return commit[:10]
