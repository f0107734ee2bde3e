"""The folders of fetched files while they are read: one for each fetch, for this user only, deleted at its end.

Each process has its own folder with a locked file in it. The system releases the lock however the process dies, so that
the next process recognizes the leftovers.
"""

import asyncio
import fcntl
import os
import shutil
import tempfile
import threading
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from pathlib import Path

LOCK = ".lock"
NEW = ".new-"
_NEW_S = 3_600.0
"""Seconds: a younger folder without a lock may still be in creation."""


class Workspace:
    """Folders below `<data_dir>/workspace`. Nothing is created before the first use."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._own: Path | None = None
        self._lock = -1
        self._settling = threading.Lock()

    @asynccontextmanager
    async def folder(self) -> AsyncGenerator[Path]:
        """Yield a new, empty folder (0700) and delete it at the end. Raise `OSError` on a full disk."""
        path = await asyncio.to_thread(self._make)
        try:
            yield path
        finally:
            # The caller may be cancelled once more; the files are deleted all the same.
            await asyncio.shield(asyncio.to_thread(shutil.rmtree, path, ignore_errors=True))

    async def clean(self) -> int:
        """Delete the folders of dead processes; return their number."""
        return await asyncio.to_thread(self._clean)

    def _make(self) -> Path:
        with self._settling:
            if self._own is None or not self._own.is_dir():
                self._own = self._settle()
        return Path(tempfile.mkdtemp(prefix="fetch-", dir=self._own))

    def _settle(self) -> Path:
        self._clean()
        self.root.mkdir(parents=True, exist_ok=True, mode=0o700)
        self.root.chmod(0o700)
        own = Path(tempfile.mkdtemp(prefix=NEW, dir=self.root))
        if self._lock >= 0:  # somebody deleted the folder meanwhile
            os.close(self._lock)
        self._lock = os.open(own / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        # Rename it only once it is locked, so that no process takes it for a leftover in between.
        return own.rename(self.root / own.name.replace(NEW, f"{os.getpid()}-"))

    def _clean(self) -> int:
        gone = 0
        with suppress(FileNotFoundError):
            for path in sorted(self.root.iterdir()):
                if path != self._own and path.is_dir() and _is_nobodys(path):
                    shutil.rmtree(path, ignore_errors=True)
                    gone += 1
        return gone


def _is_nobodys(path: Path) -> bool:
    try:
        handle = os.open(path / LOCK, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return not path.name.startswith(NEW) or path.stat().st_mtime < time.time() - _NEW_S
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
