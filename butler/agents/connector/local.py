"""Copies files of this machine: one file, or a folder with its contents."""

import asyncio
import hashlib
import os
import stat
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import count
from pathlib import Path

from butler.agents.connector.failures import NotFetchedError, missing, refused, unreadable
from butler.agents.connector.local_roots import Roots, open_in
from butler.agents.connector.source_ids import source_id_of
from butler.agents.file_types import file_type_of, why_unread
from butler.contract.agent_ports import FolderEntry, FolderListing
from butler.contract.agents import AgentFailure, ConnectorInput, ConnectorOutput
from butler.contract.errors import Retryable
from butler.contract.speech import say
from config.agents import ConnectorSettings

_PIECE = 1024 * 1024
_MOST_ENTRIES = 5_000
_MOST_TOLD = 30
_WHOLE_TIMES = 4
"""The limit for all files of a folder together, in multiples of the largest allowed file."""


class LocalFetcher:
    """Implements `SourceFetcher` for `local`, and `Folders`."""

    source_type = "local"

    def __init__(self, settings: ConnectorSettings, never: Iterable[Path] = ()) -> None:
        """`never` lists paths that are never read, even within `roots`: Butler's data folder, secrets and key."""
        self._settings = settings
        self._roots = Roots(settings.roots, never)

    async def fetch(self, given: ConnectorInput, into: Path) -> ConnectorOutput | AgentFailure:
        stop = threading.Event()
        copying = CopyJob(self._roots, self._settings, into, stop)
        try:
            return await asyncio.to_thread(copying.run, given.source_identifier, given.recursive)
        except NotFetchedError as error:
            return error.failure()
        finally:
            stop.set()  # a thread cannot be cancelled, so it is told to stop

    async def listing(self, folder: str = "", limit: int = 100) -> FolderListing | AgentFailure:
        try:
            return await asyncio.to_thread(self._list, folder, limit)
        except NotFetchedError as error:
            return error.failure()

    def _list(self, folder: str, limit: int) -> FolderListing:
        if not folder.strip():
            return self._all_roots()
        root, real = self._roots.find(folder)
        with self._roots.opened(root, real) as (handle, found):
            if not stat.S_ISDIR(found.st_mode):
                raise refused(say("{path} is a file, not a folder", path=real))
            names = sorted(os.listdir(handle))  # noqa: PTH208 - by handle
            entries = [entry for name in names if (entry := self._entry(handle, root, real, name)) is not None]
        return FolderListing(folder=real, entries=tuple(entries[:limit]), more=max(0, len(entries) - limit))

    def _all_roots(self) -> FolderListing:
        roots = self._roots.folders()
        entries = [
            FolderEntry(path=root, is_folder=True, size=0, changed_at=_time(os.stat(root).st_mtime))  # noqa: PTH116 - text
            for root in roots
        ]
        return FolderListing(folder="", entries=tuple(entries))

    def _entry(self, handle: int, root: str, folder: str, name: str) -> FolderEntry | None:
        path = f"{folder.rstrip('/')}/{name}"
        if not self._roots.may_read(path, root):
            return None
        try:
            found = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except OSError:
            return None
        is_folder = stat.S_ISDIR(found.st_mode)
        if not is_folder and not stat.S_ISREG(found.st_mode):
            return None
        size = 0 if is_folder else found.st_size
        return FolderEntry(path=path, is_folder=is_folder, size=size, changed_at=_time(found.st_mtime))


@dataclass(slots=True)
class CopyJob:
    """One fetch, running in a thread."""

    roots: Roots
    settings: ConnectorSettings
    into: Path
    stop: threading.Event
    files: list[ConnectorOutput] = field(default_factory=list[ConnectorOutput])
    skipped: list[str] = field(default_factory=list[str])
    copied: int = 0
    numbers: Iterator[int] = field(default_factory=count)
    """Counts copies, failed ones included."""

    @property
    def largest(self) -> int:
        return self.settings.largest_mb * 1024 * 1024

    def run(self, text: str, recursive: bool) -> ConnectorOutput:
        """Copy the file, or the folder as a list of files with these as children. Raise `NotFetchedError`."""
        root, real = self.roots.find(text)
        with self.roots.opened(root, real) as (handle, found):
            if stat.S_ISREG(found.st_mode):
                return self._copy(handle, real)
            if not recursive:
                raise refused(say("{path} is a folder; name a file in it, or ask for all of it", path=real), "folder")
            self._walk(handle, root, real)
        if not self.files:
            raise missing(
                say(
                    "there is nothing in {path} that can be read; {why}",
                    path=real,
                    why="; ".join(self.skipped) or say("it is empty"),
                )
            )
        return self._folder(real)

    def _walk(self, handle: int, root: str, real: str) -> None:
        for seen, (path, name, inside) in enumerate(self._files(handle, root, real), 1):
            if len(self.files) >= self.settings.most_pages or seen > _MOST_ENTRIES:
                most = say(
                    "at most {count} files are read at once (most_pages in [connector])", count=self.settings.most_pages
                )
                self.skipped.append(say("further files were not read: {why}", why=most))
                return
            try:
                self._copy_in(inside, name, path)
            except NotFetchedError as error:
                self._skip(f"{name}: {error.message}")
            except OSError as error:
                self._skip(
                    say(
                        "{file}: it cannot be read ({why})",
                        file=name,
                        why=error.strerror or say("the system gives no reason"),
                    )
                )

    def _files(self, handle: int, root: str, real: str) -> Iterator[tuple[str, str, int]]:
        """Yield path, name and open parent folder of everything in a folder, in order, without following links."""
        for below, folders, names, inside in os.fwalk(".", onerror=self._closed, dir_fd=handle, follow_symlinks=False):
            folder = os.path.normpath(os.path.join(real, below))  # noqa: PTH118 - texts
            depth = 0 if below == "." else below.count("/")
            folders[:] = [name for name in sorted(folders) if self._may_enter(inside, f"{folder}/{name}", root)]
            if depth >= self.settings.depth and folders:
                self._skip(say("{folder}: folders further down were not read (depth in [connector])", folder=folder))
                folders.clear()
            for name in sorted(names):
                if self.roots.may_read(f"{folder}/{name}", root):
                    yield f"{folder}/{name}", name, inside

    def _closed(self, error: OSError) -> None:
        self._skip(
            say(
                "{folder}: this folder cannot be read ({why})",
                folder=error.filename,
                why=error.strerror or say("the system gives no reason"),
            )
        )

    def _may_enter(self, outer: int, path: str, root: str) -> bool:
        if not self.roots.may_read(path, root):
            return False
        name = os.path.basename(path)  # noqa: PTH119 - text
        if _is_link(outer, name):
            self._skip(say("{file}: it is a link to another folder", file=name))
            return False
        return True

    def _copy_in(self, folder: int, name: str, path: str) -> None:
        if _is_link(folder, name):
            raise refused(say("it is a link to another file"), "link")
        handle = open_in(folder, name)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise unreadable(say("it is no file"), "special")
            self.files.append(self._copy(handle, path))
        finally:
            os.close(handle)

    def _copy(self, handle: int, path: str) -> ConnectorOutput:
        found = os.fstat(handle)
        name = os.path.basename(path)  # noqa: PTH119 - text
        room = min(self.largest, _WHOLE_TIMES * self.largest - self.copied)
        copy = self.into / f"{next(self.numbers):03d}.part"
        try:
            size, digest = self._write(handle, copy, room, found.st_size)
            kind = file_type_of(copy, name)
            if kind is None:
                raise unreadable(why_unread(copy), "type")
        except (NotFetchedError, OSError):
            copy.unlink(missing_ok=True)
            raise
        copy = copy.rename(copy.with_suffix(f".{kind}"))
        self.copied += size
        return ConnectorOutput(
            file_path=str(copy),
            file_size_bytes=size,
            source_metadata={"path": path, "modified_at": _time(found.st_mtime).isoformat()},
            checksum=digest,
            name=name,
            source_id=source_id_of("local", path),
        )

    def _write(self, handle: int, copy: Path, room: int, expected: int) -> tuple[int, str]:
        if expected > room:
            raise self._too_large()
        digest, size = hashlib.sha256(), 0
        with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            while data := os.read(handle, _PIECE):
                if self.stop.is_set():
                    raise Retryable(say("reading was given up"))
                size += len(data)
                if size > room:  # the file may grow while it is read
                    raise self._too_large()
                digest.update(data)
                file.write(data)
        return size, digest.hexdigest()

    def _too_large(self) -> NotFetchedError:
        return unreadable(
            say(
                "it is larger than the {size} MB that are read (largest_mb in [connector])",
                size=self.settings.largest_mb,
            ),
            "large",
        )

    def _folder(self, real: str) -> ConnectorOutput:
        """Return the list of found files as the folder's text."""
        names = [str(file.source_metadata["path"]).removeprefix(f"{real}/") for file in self.files]
        text = "\n".join(names).encode()
        path = self.into / "folder.txt"
        path.write_bytes(text)
        return ConnectorOutput(
            file_path=str(path),
            file_size_bytes=len(text),
            source_metadata={"path": real, "folder": True},
            checksum=hashlib.sha256(text).hexdigest(),
            media_type="text/plain",
            name=os.path.basename(real) or real,  # noqa: PTH119 - text
            source_id=source_id_of("local", real),
            children=self.files,
            skipped=self.skipped,
        )

    def _skip(self, sentence: str) -> None:
        if len(self.skipped) < _MOST_TOLD:
            self.skipped.append(sentence)


def _is_link(folder: int, name: str) -> bool:
    return stat.S_ISLNK(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)


def _time(stamp: float) -> datetime:
    return datetime.fromtimestamp(stamp, UTC)
