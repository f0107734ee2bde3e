"""Files by digest: raw mails and attachments, each written whole or not at all, and checked when read."""

import asyncio
import errno
import hashlib
import os
import re
import tempfile
from collections.abc import Iterator
from pathlib import Path

from butler.contract.errors import BlobDamagedError, StoreFullError, StoreUnavailableError

DIGEST = re.compile(r"[0-9a-f]{64}")
NO_ROOM = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})


class FileBlobs:
    """A `BlobStore` in a folder: `<first two digits>/<SHA-256>`, 0600."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._rooted = False

    async def put(self, data: bytes) -> str:
        """Store durably; the SHA-256 in hex. Raises `StoreFullError` or `StoreUnavailableError`."""
        return await asyncio.to_thread(self.put_now, data)

    async def get(self, sha256: str) -> bytes:
        """The bytes; raises `KeyError` when there is no such blob, `BlobDamagedError` when it is not what it was."""
        return await asyncio.to_thread(self.get_now, sha256)

    def put_now(self, data: bytes) -> str:
        """As `put`, blocking."""
        digest = hashlib.sha256(data).hexdigest()
        path = self._path(digest)
        try:
            if not _holds(path, digest):
                _write(path, data)
            _sync_folder(path.parent)
            _sync_folder(self.root)
            if not self._rooted:
                _sync_folder(self.root.parent)
                self._rooted = True
        except OSError as error:
            raise StoreFullError() if error.errno in NO_ROOM else StoreUnavailableError() from None
        return digest

    def get_now(self, sha256: str) -> bytes:
        """As `get`, blocking."""
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
        """All that is stored, in order."""
        for path in sorted(self.root.glob("??/*")):
            if DIGEST.fullmatch(path.name):
                yield path.name

    def _path(self, digest: str) -> Path:
        return self.root / digest[:2] / digest


def _holds(path: Path, digest: str) -> bool:
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest() == digest
    except FileNotFoundError:
        return False


def _write(path: Path, data: bytes) -> None:
    path.parent.parent.mkdir(parents=True, exist_ok=True, mode=0o700)  # `mode` is not for the parents it makes
    path.parent.mkdir(exist_ok=True, mode=0o700)
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".")  # mkstemp makes it 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def _sync_folder(folder: Path) -> None:
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
