"""Checks that contracts are as locked: files, code and tools; returns a sentence for each fault.

Each part is compared with an independent one: a file with the lock, the code with the locked file, the lock with its
page.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from butler.adapters.approvals import read_approvals
from butler.adapters.catalogue import Catalogue, load_catalogue
from butler.adapters.changes import Change, changes_between, kind_of, next_version
from butler.adapters.code import Code, CodedAdapter
from butler.adapters.document import document, text_digest
from butler.adapters.errors import ContractFileError, GateError
from butler.adapters.files import Files, kept_files, read_contract
from butler.adapters.gates import pass_gates
from butler.adapters.lock import Lock, LockedAdapter, operation_digest, read_lock, read_locked
from butler.adapters.served import adapters_behind, lost_methods, redefined, redefined_behind, redefinition
from butler.adapters.version import Version
from butler.contract.adapters import SEMVER, AdapterContract
from butler.contract.integration import MethodSpec

RESTORE = "take it back from version control"


def check(files: Files, code: Code) -> list[str]:
    """Return every fault; none if everything is as it was locked."""
    unread = [f"modules/{channel} cannot be read: {why}" for channel, why in code.unread.items()]
    try:
        lock = read_lock(files)
    except ContractFileError as error:
        return [*unread, f"{error.detail}; {RESTORE}"]
    faults = [*unread, *map(code.duplicates_of, sorted(code.duplicates)), *_unlocked(files, lock, code)]
    for adapter_id, locked in sorted(lock.adapters.items()):
        faults += _adapter_faults(files, code, adapter_id, locked)
    faults += _method_faults(files, lock, code)
    faults += _approval_faults(files, lock)
    faults += _page_faults(files, lock)
    faults += _tool_faults(code, load_catalogue(files))
    return faults


def redefined_methods(lock: Lock, methods: Mapping[str, MethodSpec]) -> Iterator[str]:
    """Return a sentence for each of these methods that differs from the lock."""
    return map(redefinition, redefined(lock, methods))


def _unlocked(files: Files, lock: Lock, code: Code) -> Iterator[str]:
    """Yield what exists and is not locked."""
    channels = {locked.channel for locked in lock.adapters.values()}
    for channel in files.channels():
        if channel not in channels:
            yield f"modules/{channel} has a contract that is not locked: `butler contracts bump` with its adapter's id"
    for adapter_id, coded in sorted(code.adapters.items()):
        if adapter_id not in lock.adapters:
            yield f"{adapter_id} of modules/{coded.channel} is not locked: `butler contracts bump {adapter_id}`"


def _adapter_faults(files: Files, code: Code, adapter_id: str, locked: LockedAdapter) -> Iterator[str]:
    yield from _kept_faults(files, adapter_id, locked)
    try:
        frozen = read_locked(files, adapter_id, locked, locked.version)
    except ContractFileError:
        frozen = None
    yield from _current_faults(files, adapter_id, locked, frozen)
    coded = code.adapters.get(adapter_id)
    if coded is None:
        if locked.channel not in code.unread:
            todo = f"bring it back, or have its end approved: `butler contracts bump {adapter_id}`"
            yield f"breaking: {adapter_id} is locked and no module has it any more; {todo}"
    elif coded.channel != locked.channel and adapter_id not in code.duplicates:
        yield f"{adapter_id} is locked for modules/{locked.channel} and lies in modules/{coded.channel}; move it back"
    elif frozen is not None:
        yield from _code_faults(files, adapter_id, locked, frozen, coded)


def _kept_faults(files: Files, adapter_id: str, locked: LockedAdapter) -> Iterator[str]:
    """Check the kept copies: one for each version of the lock and no other."""
    if locked.version not in locked.digests:
        yield f"the lock has no digest of {adapter_id} {locked.version}, its current version; {RESTORE}"
    for version in locked.digests:
        path = files.locked(locked.channel, version)
        if not SEMVER.fullmatch(version):
            yield f"the lock has a version {version!r} of {adapter_id}, which is none; {RESTORE}"
            continue
        try:
            read_locked(files, adapter_id, locked, version)
        except ContractFileError:
            yield f"{_named(files, path)} is not {adapter_id} {version} as it was locked; {RESTORE}"
    for path in kept_files(files, locked.channel):
        if path.stem not in locked.digests:
            yield f"{_named(files, path)} is a version that the lock does not know; {RESTORE}, or delete it"


def _current_faults(
    files: Files, adapter_id: str, locked: LockedAdapter, frozen: AdapterContract | None
) -> Iterator[str]:
    """Check the contract in the module's folder."""
    path = files.current(locked.channel)
    try:
        current = read_contract(path)
    except ContractFileError as error:
        yield f"{error.detail}; {RESTORE}"
        return
    if (current.adapter_id, current.version) != (adapter_id, locked.version):
        text = f"says that it is {current.adapter_id} {current.version}, locked is {adapter_id} {locked.version}"
        yield f"{_named(files, path)} {text}; only `butler contracts bump` writes it: {RESTORE}"
    elif current.digest != locked.digests.get(locked.version):
        changes = changes_between(frozen, current) if frozen else []
        yield f"{_named(files, path)} was changed without a new version{_needed(locked, changes)}; {RESTORE}"


def _code_faults(
    files: Files, adapter_id: str, locked: LockedAdapter, frozen: AdapterContract, coded: CodedAdapter
) -> Iterator[str]:
    """Check the code against the locked contract, and against the older versions that tools are still made for."""
    if changes := changes_between(frozen, coded.contract):
        todo = f"take it back, or lock it as a new version: `butler contracts bump {adapter_id}`"
        yield f"the code of {adapter_id} is not what {locked.version} says{_needed(locked, changes)}; {todo}"
    for version in locked.digests:
        if version == locked.version:
            continue
        try:
            lost = lost_methods(read_locked(files, adapter_id, locked, version), coded.methods)
        except ContractFileError:
            continue
        if lost:
            text = f"{adapter_id} {version} is still served, and the code no longer has {', '.join(lost)} as it was"
            yield f"{text}; bring it back, or `butler contracts bump {adapter_id}`"


def _needed(locked: LockedAdapter, changes: list[Change]) -> str:
    """Return the changes, and the version that they need."""
    kind = kind_of(changes)
    if kind is None or not SEMVER.fullmatch(locked.version):
        return ""
    version = next_version(Version.parse(locked.version), kind)
    return f" ({'; '.join(map(str, changes))}), which needs {version}, a new {kind.part} version"


def _method_faults(files: Files, lock: Lock, code: Code) -> Iterator[str]:
    """Check every method of every integration: a `.v1` is never redefined."""
    for method_id in sorted(code.clashes):
        yield f"two integrations have {method_id} with different schemas; give one of them another id"
    behind: set[str] = set()
    for adapter_id, coded in sorted(code.adapters.items()):
        behind |= coded.methods.keys()
        if adapter_id in lock.adapters:
            yield from _methods_of_adapter(files, lock, adapter_id, coded)
    own = {method_id: spec for method_id, spec in code.methods.items() if method_id not in behind}
    yield from redefined_methods(lock, own)
    for method_id in sorted(own.keys() - lock.methods.keys()):
        yield f"{method_id} is not locked: `butler contracts bump --methods`"
    of_adapter = adapters_behind(files, lock)
    for method_id in sorted(lock.methods.keys() - code.methods.keys() if not code.unread else ()):
        how = of_adapter.get(method_id, "--methods")
        todo = f"bring it back, or retire its id: `butler contracts bump {how}`"
        yield f"{method_id} is locked and no module has it any more; {todo}"


def _methods_of_adapter(files: Files, lock: Lock, adapter_id: str, coded: CodedAdapter) -> Iterator[str]:
    locked = lock.adapters[adapter_id]
    try:
        frozen = read_locked(files, adapter_id, locked, locked.version)
    except ContractFileError:
        return
    for method_id in redefined_behind(lock, coded.methods, frozen):
        yield redefinition(method_id)
    for name, operation in sorted(frozen.operations.items()):
        if lock.methods.get(operation.method_id) != operation_digest(operation):
            text = f"the lock has another digest of {operation.method_id} than {adapter_id} {name} says"
            yield f"{text}; {RESTORE}"
    for method_id in sorted(coded.methods.keys() - lock.methods.keys()):
        yield f"{method_id} is not locked: `butler contracts bump {adapter_id}`"


def _approval_faults(files: Files, lock: Lock) -> Iterator[str]:
    """Check that a MAJOR version, except the first one, was approved."""
    try:
        approvals = read_approvals(files)
    except ContractFileError as error:
        yield f"{error.detail}; {RESTORE}"
        return
    for adapter_id, locked in sorted(lock.adapters.items()):
        if not SEMVER.fullmatch(locked.version):
            continue
        for major in range(2, Version.parse(locked.version).major + 1):
            version = f"{major}.0.0"
            approval = approvals.find(adapter_id, version)
            if approval is None or locked.digests.get(version, approval.digest) != approval.digest:
                text = f"{adapter_id} {version} breaks tools, and {files.approvals.name} has no approval of it"
                yield f"{text}; {RESTORE}"


def _page_faults(files: Files, lock: Lock) -> Iterator[str]:
    """Check the page against the lock, and both against newly generated ones."""
    try:
        text = files.document.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        if lock.adapters:
            yield f"{_named(files, files.document)} cannot be read; {RESTORE}"
        return
    try:
        written = document(files, lock)
    except ContractFileError:
        return  # Reported already, as an unreadable kept copy.
    if text != written or text_digest(text) != lock.document:
        yield f"{_named(files, files.document)} is not what the locked contracts say; {RESTORE}"


def _tool_faults(code: Code, catalogue: Catalogue) -> Iterator[str]:
    """Check every tool at every gate; the tools of a broken adapter are not reported one by one."""
    for tool in code.tools:
        if tool.adapter_id in catalogue.broken:
            continue
        try:
            pass_gates(tool, catalogue)
        except GateError as error:
            yield f"gate {error.gate}: {error.detail}"


def _named(files: Files, path: Path) -> str:
    """Return the displayed name of a file."""
    return str(path.relative_to(files.modules.parent))
