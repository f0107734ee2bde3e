"""One daemon per data: locks on the data folder and the database's file, or on the PostgreSQL database.

On PostgreSQL a daemon's writer takes the lock over (see `fence`); short-lived programs hold it themselves.
"""

import fcntl
import os
import secrets
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.pool import NullPool

from butler.store.connect import CONNECT_WAIT_S, in_memory, resolve_url
from butler.store.errors import AlreadyRunningError
from butler.store.faults import in_our_words

FILE = "butler.lock"
DAEMON_LOCK_KEY = 0x6275746C6572 + 1
TRY_LOCK = f"SELECT pg_try_advisory_lock({DAEMON_LOCK_KEY})"
_UNLOCK = f"SELECT pg_advisory_unlock({DAEMON_LOCK_KEY})"
HOLDER = (
    "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1"
    " AND ((l.classid::bigint << 32) | l.objid::bigint) = %s"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)
"""Selects the holder of the lock with the key given as its one parameter."""


def held_by(name: str | None) -> AlreadyRunningError:
    """Describe the holder of PostgreSQL's lock from the row of `HOLDER`."""
    return AlreadyRunningError(f"'{name or 'unknown'}' uses this PostgreSQL database; stop it first")


class DataLock:
    """Held from `acquire()` until `release()`, or until the process ends in any way."""

    def __init__(self, url: str, data_dir: Path) -> None:
        self._path = data_dir / FILE
        self._url = resolve_url(url, data_dir)
        self._file: int | None = None
        self._database: int | None = None
        self._connection: sa.Connection | None = None
        self.place = ""
        """The identity of the lock file, once it is held: a copy of the folder has another one."""

    def acquire(self) -> Self:
        """Take the locks; raise `AlreadyRunningError` that names the holder, or `StoreUnavailableError`."""
        self._lock_folder()
        try:
            self.lock_file()
            self._lock_database()
        except BaseException:
            self.release()
            raise
        return self

    def lock_file(self) -> None:
        """Lock SQLite's file itself, if it exists, by any path.

        Raises `AlreadyRunningError`. SQLite's own locks are of another kind and do not conflict with this one; but
        closing the file releases those of this process, so it is released once no connection is open any more.
        """
        if self._database is not None or self._url.get_backend_name() != "sqlite" or in_memory(self._url):
            return
        try:
            self._database = os.open(str(self._url.database), os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return  # opening it will create it, or report why not
        try:
            fcntl.flock(self._database, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            raise AlreadyRunningError(f"it uses the database file {self._url.database}; stop it first") from None

    def hand_over(self) -> None:
        """Release PostgreSQL's lock, for the daemon's writer to take it."""
        if self._connection is not None:
            with suppress(exc.DBAPIError):
                self._connection.exec_driver_sql(_UNLOCK)
        self._drop_connection()

    def release(self) -> None:
        """Release the locks."""
        self._drop_connection()
        for file in (self._database, self._file):
            if file is not None:
                os.close(file)
        self._database = self._file = None

    def __enter__(self) -> Self:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()

    def _lock_folder(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            lines = self._said()
            self.release()
            pid = lines[0].strip() if lines else ""
            raise AlreadyRunningError(f"process {pid or 'unknown'} uses {self._path.parent}; stop it first") from None
        inode = str(os.fstat(self._file).st_ino)
        lines = self._said()
        known = lines[1].split() if len(lines) > 1 else []
        self.place = known[0] if known[1:] == [inode] else secrets.token_hex(8)
        text = f"{os.getpid()}\n{self.place} {inode}\n".encode()
        os.pwrite(self._file, text, 0)
        os.ftruncate(self._file, len(text))

    def _said(self) -> list[str]:
        return [] if self._file is None else os.pread(self._file, 256, 0).decode("ascii", "replace").splitlines()

    def _lock_database(self) -> None:
        if self._url.get_backend_name() == "sqlite":
            return
        options = {"application_name": f"butler daemon {os.getpid()}", "connect_timeout": CONNECT_WAIT_S}
        engine = sa.create_engine(self._url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=options)
        try:
            self._connection = engine.connect()
            if not self._connection.exec_driver_sql(TRY_LOCK).scalar_one():
                raise held_by(self._connection.exec_driver_sql(HOLDER, (DAEMON_LOCK_KEY,)).scalar())
        except exc.DBAPIError as error:
            self._drop_connection()
            raise in_our_words(error) from None

    def _drop_connection(self) -> None:
        if self._connection is not None:
            with suppress(exc.DBAPIError):
                self._connection.close()
            self._connection = None
