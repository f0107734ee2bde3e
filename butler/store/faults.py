"""Database errors in our own words, classified by the driver's codes, so that callers know what to do about them.

A driver's text may hold a row's values or the database's address, so our errors never include it.
"""

from sqlalchemy import exc

from butler.contract.errors import ButlerError
from butler.store.errors import StoreBusyError, StoreDamagedError, StoreFullError, StoreUnavailableError

BUSY_SQLSTATES = frozenset({"40001", "40P01", "55P03"})  # serialization, deadlock, lock not available in time
FULL_SQLSTATES = frozenset({"53100"})
DAMAGED_SQLSTATES = frozenset({"XX001", "XX002"})  # of a table, of an index
RESTORE = "restore a backup"
AWAY_SQLSTATE_CLASSES = ("08", "53", "57P")  # connection, resources, operator intervention


def in_our_words(error: Exception) -> Exception:
    """Return a database error as `StoreBusyError`, `StoreFullError` or `StoreUnavailableError`; others unchanged."""
    if isinstance(error, exc.TimeoutError):
        return StoreBusyError()
    if isinstance(error, ButlerError) or not isinstance(error, exc.DBAPIError):
        return error
    sqlite_name = getattr(error.orig, "sqlite_errorname", None)
    if isinstance(sqlite_name, str):
        return _from_sqlite(sqlite_name) or error
    return _from_postgresql(error) or error


def _from_sqlite(name: str) -> ButlerError | None:
    if name.startswith(("SQLITE_BUSY", "SQLITE_LOCKED")):
        return StoreBusyError()
    # The shared-memory file grows by single writes, whose failure SQLite does not report as FULL.
    if name in {"SQLITE_FULL", "SQLITE_IOERR_SHMSIZE"}:
        return StoreFullError()
    if name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")):
        return StoreDamagedError(RESTORE)
    if name.startswith(("SQLITE_IOERR", "SQLITE_CANTOPEN", "SQLITE_READONLY")):
        return StoreUnavailableError(name.removeprefix("SQLITE_").lower())
    return None


def _from_postgresql(error: exc.DBAPIError) -> ButlerError | None:
    state = getattr(error.orig, "sqlstate", None)
    if state in BUSY_SQLSTATES:
        return StoreBusyError()
    if state in FULL_SQLSTATES:
        return StoreFullError()
    if state in DAMAGED_SQLSTATES:
        return StoreDamagedError(RESTORE)
    if error.connection_invalidated or (isinstance(state, str) and state.startswith(AWAY_SQLSTATE_CLASSES)):
        return StoreUnavailableError()
    # Without a state the server never answered: no route, refused, wrong password, connection cut.
    return StoreUnavailableError() if state is None and isinstance(error, exc.OperationalError) else None
