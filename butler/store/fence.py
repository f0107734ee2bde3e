"""Stops a replaced daemon from writing: each of its transactions compares its epoch.

A daemon can lose its lock without knowing: the server restarted, the connection was cut, the process was frozen. So the
lock only prevents a second daemon from starting; afterwards, the first one is stopped because its epoch is no longer
the newest. Writing transactions are serial, so nothing gets in between.
"""

import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import event

from butler.store.connect import in_memory, single_connection_engine
from butler.store.errors import FencedError, StoreLostError, StoreUnavailableError
from butler.store.lock import DAEMON_LOCK_KEY, HOLDER, TRY_LOCK, held_by
from butler.store.queries import daemons
from butler.store.queries.daemons import Epoch


class Fence:
    """One daemon's hold on a database."""

    def __init__(self, url: sa.URL, epoch: Epoch) -> None:
        self.epoch = epoch
        self._path = None if in_memory(url) or url.get_backend_name() != "sqlite" else Path(str(url.database))
        self._file = self._identity()

    def look(self) -> None:
        """Raise `StoreLostError` if the database's file was replaced since it was opened."""
        if self._path is not None and self._identity() != self._file:
            raise StoreLostError(f"{self._path} was removed or replaced while Butler was running; stop it")

    def compare(self, connection: sa.Connection) -> None:
        """Raise `FencedError` if another daemon has begun since; call it in the transaction itself."""
        if daemons.newest(connection) != self.epoch.token:
            raise FencedError

    def has_ended(self, connection: sa.Connection, number: int) -> bool:
        """Return whether all work begun in an epoch has surely ended.

        True for this epoch, and for every one that held the same lock file: as this daemon holds it now, that holder
        has ended.
        """
        if number == self.epoch.number:
            return True
        return number < self.epoch.number and daemons.place_of(connection, number) == self.epoch.place != ""

    def _identity(self) -> tuple[int, int] | None:
        if self._path is None:
            return None
        try:
            found = os.stat(self._path)  # noqa: PTH116 - on the way of every transaction
        except OSError:
            return None
        return found.st_dev, found.st_ino


def locking_engine(url: sa.URL, current: Callable[[], Epoch | None]) -> sa.Engine:
    """Make an engine of one PostgreSQL connection, which holds the daemon's lock for as long as it lives.

    `current` is its user's epoch. A new connection must take the lock again: that raises `AlreadyRunningError` at
    first, `FencedError` if another daemon has begun, and `StoreUnavailableError` if the lock is only held briefly, as
    by `butler doctor`.
    """
    engine = single_connection_engine(url)
    fault: type[Exception] = engine.dialect.loaded_dbapi.Error

    def take(dbapi_connection: Any, _record: object) -> None:
        try:
            with dbapi_connection.cursor() as cursor:
                _take(cursor, current())
            dbapi_connection.commit()
        except fault:
            dbapi_connection.close()
            raise StoreUnavailableError from None
        except BaseException:
            dbapi_connection.close()
            raise

    event.listen(engine, "connect", take)
    return engine


def _take(cursor: Any, epoch: Epoch | None) -> None:
    if cursor.execute(TRY_LOCK).fetchone()[0]:
        return
    if epoch is None:
        holder = cursor.execute(HOLDER, (DAEMON_LOCK_KEY,)).fetchone()
        raise held_by(holder[0] if holder else None)
    newest = cursor.execute("SELECT token FROM daemons ORDER BY epoch DESC LIMIT 1").fetchone()
    if newest is None or newest[0] != epoch.token:
        raise FencedError
    raise StoreUnavailableError("another program of Butler's holds its lock")


class LostNotice:
    """A one-time notice, from any thread, that the store's daemon has been replaced."""

    def __init__(self) -> None:
        self._error: FencedError | None = None
        self._told: list[Callable[[], object]] = []
        self._lock = threading.Lock()

    @property
    def error(self) -> FencedError | None:
        return self._error

    def set(self, error: FencedError) -> None:
        """Set the notice, and call its listeners."""
        with self._lock:
            if self._error is not None:
                return
            self._error = error
            items = list(self._told)
        for tell in items:
            tell()

    def tell(self, waiting: Callable[[], object]) -> None:
        """Register a listener; it may be called immediately, and in another thread."""
        with self._lock:
            self._told.append(waiting)
            known = self._error is not None
        if known:
            waiting()
