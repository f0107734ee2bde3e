"""Files by digest: raw mails and attachments, written atomically and checked when read."""

import asyncio
import errno
import fcntl
import hashlib
import os
import re
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from butler.contract.errors import BlobDamagedError
from butler.store.errors import StoreFullError, StoreUnavailableError

DIGEST = re.compile(r"[0-9a-f]{64}")
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class FileBlobs:
    """A `BlobStore` in a folder: `<first two digits>/<SHA-256>`, 0600."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._rooted = False

    async def put(self, data: bytes) -> str:
        """Store durably; return the SHA-256 in hex. Raise `StoreFullError` or `StoreUnavailableError`."""
        return await asyncio.to_thread(self.put_now, data)

    async def get(self, sha256: str) -> bytes:
        """Return the bytes; raise `KeyError` if there is no such blob, `BlobDamagedError` if its content changed."""
        return await asyncio.to_thread(self.get_now, sha256)

    async def put_pieces(self, pieces: Iterable[bytes]) -> str:
        """Store pieces as `put` does. Errors that the pieces raise pass through."""
        return await asyncio.to_thread(self.put_pieces_now, pieces)

    def put_now(self, data: bytes) -> str:
        """Store a blob as `put` does, blocking."""
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        try:
            if not _holds(path, digest):
                _write(path, data)
            self._sync_folders_of(path)
        except OSError as error:
            raise StoreFullError() if error.errno in NO_ROOM else StoreUnavailableError() from None
        return digest

    def put_pieces_now(self, pieces: Iterable[bytes]) -> str:
        """Store a blob as `put_pieces` does, blocking."""
        hasher = hashlib.sha256()
        try:
            self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
            with _temporary_in(self.root) as (file, temporary):
                for piece in pieces:
                    hasher.update(piece)
                    file.write(piece)
                path = self._path(hasher.hexdigest())
                path.parent.mkdir(exist_ok=True, mode=0o700)
                _finish(file, temporary, path)
            self._sync_folders_of(path)
        except OSError as error:
            raise StoreFullError() if error.errno in NO_ROOM else StoreUnavailableError() from None
        return hasher.hexdigest()

    def open(self, sha256: str) -> BinaryIO:
        """Open a blob for reading in pieces; the caller checks what it reads. Raise `KeyError`."""
        if not DIGEST.fullmatch(sha256):
            raise KeyError(sha256)
        try:
            return self._path(sha256).open("rb")
        except FileNotFoundError:
            raise KeyError(sha256) from None
        except OSError:
            raise StoreUnavailableError from None

    def get_now(self, sha256: str) -> bytes:
        """Read a blob as `get` does, blocking."""
        if not DIGEST.fullmatch(sha256):
            raise KeyError(sha256)
        try:
            data = self._path(sha256).read_bytes()
        except FileNotFoundError:
            raise KeyError(sha256) from None
        except OSError:
            raise StoreUnavailableError from None
        if hashlib.sha256(data).hexdigest() != sha256:
            raise BlobDamagedError(sha256)
        return data

    def digests(self) -> Iterator[str]:
        """Yield the digests of all blobs, in order."""
        for path in sorted(self.root.glob("??/*")):
            if DIGEST.fullmatch(path.name):
                yield path.name

    @contextmanager
    def kept(self) -> Generator[None]:
        """Prevent pruning meanwhile; several may hold it at the same time."""
        with self._locked(fcntl.LOCK_SH):
            yield

    @contextmanager
    def pruning(self) -> Generator[None]:
        """Hold this while blobs are pruned; raise `BlockingIOError` during a backup."""
        with self._locked(fcntl.LOCK_EX | fcntl.LOCK_NB):
            yield

    def prune(self, digest: str, before: float) -> int:
        """Delete a blob last put before `before` (seconds since the epoch); return its bytes, 0 if it stays.

        Putting the same content again touches the file first. So it is renamed, and restored if it was touched just
        now: its row may be about to be written.
        """
        path = self._path(digest)
        aside = path.with_name(f".{digest}")
        try:
            if path.stat().st_mtime >= before:
                return 0
            path.replace(aside)
            found = aside.stat()
        except FileNotFoundError:
            return 0
        if found.st_mtime >= before:
            aside.replace(path)
            return 0
        aside.unlink()
        return found.st_size

    def about(self, digest: str) -> tuple[float, int]:
        """Return when a blob was last put, in seconds since the epoch, and its bytes; raise `KeyError`."""
        try:
            found = self._path(digest).stat()
        except FileNotFoundError:
            raise KeyError(digest) from None
        return found.st_mtime, found.st_size

    @contextmanager
    def _locked(self, how: int) -> Generator[None]:
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle = os.open(self.root / ".lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(handle, how)
            yield
        finally:
            os.close(handle)

    def _sync_folders_of(self, path: Path) -> None:
        _sync_folder(path.parent)
        _sync_folder(self.root)
        if not self._rooted:
            _sync_folder(self.root.parent)
            self._rooted = True

    def _path(self, digest: str) -> Path:
        return self.root / digest[:2] / digest


def _holds(path: Path, digest: str) -> bool:
    """Return whether the blob exists; if so, refresh its time."""
    try:
        os.utime(path)
        return hashlib.sha256(path.read_bytes()).hexdigest() == digest
    except FileNotFoundError:
        return False


def _write(path: Path, data: bytes) -> None:
    path.parent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # `mode` does not apply to created parents
    path.parent.mkdir(exist_ok=True, mode=0o700)
    with _temporary_in(path.parent) as (file, temporary):
        file.write(data)
        _finish(file, temporary, path)


@contextmanager
def _temporary_in(folder: Path) -> Generator[tuple[BinaryIO, Path]]:
    """Yield a temporary file, which is deleted unless it is finished."""
    handle, name = tempfile.mkstemp(dir=folder, prefix=".")  # mkstemp creates it with 0600
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            yield file, temporary
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _finish(file: BinaryIO, temporary: Path, path: Path) -> None:
    """Sync a temporary file to disk, and then rename it."""
    file.flush()
    os.fsync(file.fileno())
    temporary.replace(path)


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
