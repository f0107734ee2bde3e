"""One daemon per data: a lock on the data folder and, with PostgreSQL, one on the database too."""

import fcntl
import os
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.pool import NullPool

from butler.contract.errors import AlreadyRunningError
from butler.store.connect import CONNECT_WAIT_S, resolve_url
from butler.store.faults import in_our_words

FILE = "butler.lock"
DAEMON_LOCK_KEY = 0x6275746C6572 + 1

_HOLDER = sa.text(
    "SELECT a.application_name FROM pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
    " WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1"
    " AND ((l.classid::bigint << 32) | l.objid::bigint) = :key"
    " AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())"
)


class DataLock:
    """Held from `acquire()` until `release()`, or until the process ends however it ends."""

    def __init__(self, url: str, data_dir: Path) -> None:
        self._path = data_dir / FILE
        self._url = resolve_url(url, data_dir)
        self._file: int | None = None
        self._connection: sa.Connection | None = None

    def acquire(self) -> Self:
        """Take the lock; raises `AlreadyRunningError` that names who has it, or `StoreUnavailableError`."""
        self._lock_folder()
        try:
            self._lock_database()
        except BaseException:
            self.release()
            raise
        return self

    def ensure(self) -> None:
        """Take the database's lock again when its connection was lost; raises as `acquire()` does.

        A server that was restarted has forgotten the lock. To be called now and then; blocks for one round trip.
        """
        if self._connection is not None:
            try:
                self._connection.exec_driver_sql("SELECT 1")
            except exc.DBAPIError:
                self._drop_connection()
                self._lock_database()
        elif self._file is not None:
            self._lock_database()

    def release(self) -> None:
        """Let go."""
        self._drop_connection()
        if self._file is not None:
            os.close(self._file)
            self._file = None

    def __enter__(self) -> Self:
        return self.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()

    def _lock_folder(self) -> None:
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            pid = os.pread(self._file, 32, 0).decode("ascii", "replace").strip()
            self.release()
            raise AlreadyRunningError(f"process {pid or 'unknown'} uses {self._path.parent}; stop it first") from None
        os.ftruncate(self._file, 0)
        os.pwrite(self._file, f"{os.getpid()}\n".encode(), 0)

    def _lock_database(self) -> None:
        if self._url.get_backend_name() == "sqlite":
            return
        options = {"application_name": f"butler daemon {os.getpid()}", "connect_timeout": CONNECT_WAIT_S}
        engine = sa.create_engine(self._url, poolclass=NullPool, isolation_level="AUTOCOMMIT", connect_args=options)
        try:
            self._connection = engine.connect()
            taken = self._connection.execute(sa.select(sa.func.pg_try_advisory_lock(DAEMON_LOCK_KEY))).scalar_one()
            holder = None if taken else self._connection.execute(_HOLDER, {"key": DAEMON_LOCK_KEY}).scalar()
        except exc.DBAPIError as error:
            self._drop_connection()
            raise in_our_words(error) from None
        if not taken:
            self._drop_connection()
            raise AlreadyRunningError(f"'{holder or 'unknown'}' uses this PostgreSQL database; stop it first")

    def _drop_connection(self) -> None:
        if self._connection is not None:
            with suppress(exc.DBAPIError):
                self._connection.close()
            self._connection = None
