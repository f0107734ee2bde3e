"""Writes what is locked, and the lock last, so that an interruption leaves nothing that passes for locked."""

from pathlib import Path

from butler.adapters.document import document, text_digest
from butler.adapters.files import Files, kept_files, write_json, write_text
from butler.adapters.lock import Lock, write_lock
from butler.contract.adapters import AdapterContract


def write_contract(files: Files, lock: Lock, contract: AdapterContract) -> list[str]:
    """Write a contract that `lock` holds as current, the page and the lock; then drop the versions that it lacks.

    Returns what was done, a line for each file.
    """
    locked = lock.adapters[contract.adapter_id]
    content = contract.model_dump(mode="json")
    written = [files.locked(locked.channel, contract.version), files.current(locked.channel)]
    for path in written:
        write_json(path, content)
    written += write_page_and_lock(files, lock)
    lines = [f"Written: {path.relative_to(files.modules.parent)}" for path in written]
    old = [path for path in kept_files(files, locked.channel) if path.stem not in locked.digests]
    return lines + [_drop(files, path) for path in old]


def write_page_and_lock(files: Files, lock: Lock) -> list[Path]:
    """Write the page of all contracts, and the lock with its digest."""
    page = document(files, lock)
    lock.document = text_digest(page)
    write_text(files.document, page)
    write_lock(files, lock)
    return [files.document, files.lock]


def drop_contract(files: Files, channel: str) -> list[str]:
    """Remove every file of a contract that is no longer locked."""
    paths = [files.current(channel), *kept_files(files, channel)]
    return [_drop(files, path) for path in paths if path.exists()]


def _drop(files: Files, path: Path) -> str:
    path.unlink()
    return f"Dropped: {path.relative_to(files.modules.parent)}"
