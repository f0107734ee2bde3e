"""Makes an engine from `store.url`, with durable settings, on SQLite and on PostgreSQL.

A connection of `writer_of(engine)` holds the database's only write lock from its BEGIN on, so that writing transactions
are serial, across processes too, and row numbers become visible in the order of their allocation.
"""

import errno
import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pydantic_core
import sqlalchemy as sa
from sqlalchemy import event, exc
from sqlalchemy.pool import StaticPool
from sqlalchemy.util import LRUCache

from butler.contract.errors import ConfigError

STATEMENTS = 1000
"""How many compiled statements of SQLite are kept."""
LOCK_WAIT_S = 5
CONNECT_WAIT_S = 5
WRITE_LOCK_KEY = 0x6275746C6572
"""The key of PostgreSQL's advisory lock that serves as the write lock."""

POSTGRESQL = "postgresql+psycopg"
HOW_TO = "store.url must look like sqlite:///butler.db or postgresql://user@host/database"


def resolve_url(url: str, data_dir: Path) -> sa.URL:
    """Return the URL as SQLAlchemy needs it: psycopg 3 for PostgreSQL, relative SQLite paths resolved in `data_dir`.

    Raises `ConfigError`, which never repeats the URL: it may hold a password.
    """
    try:
        parsed = sa.make_url(url)
    except exc.ArgumentError:
        raise ConfigError(HOW_TO) from None
    if parsed.drivername in {"postgresql", "postgres", POSTGRESQL}:
        return parsed.set(drivername=POSTGRESQL)
    if parsed.drivername != "sqlite" or parsed.host:
        raise ConfigError(HOW_TO)
    if in_memory(parsed):
        return parsed
    return parsed.set(database=str(data_dir.absolute() / str(parsed.database)))


def in_memory(url: sa.URL) -> bool:
    """Return whether the database vanishes when it is closed."""
    return url.get_backend_name() == "sqlite" and url.database in {None, "", ":memory:"}


def to_json(value: object) -> str:
    """Return a value or a model as JSON text, several times faster than the standard library does."""
    try:
        return pydantic_core.to_json(value).decode()
    except pydantic_core.PydanticSerializationError:
        return json.dumps(value)  # a lone surrogate, which only an escape can hold


def from_json(text: str) -> Any:
    """Parse JSON text."""
    try:
        return pydantic_core.from_json(text)
    except ValueError:
        return json.loads(text)


_compiled: LRUCache[Any, Any] = LRUCache(STATEMENTS)

JSON_TEXT: dict[str, Any] = {"json_serializer": to_json, "json_deserializer": from_json}


def make_engine(url: sa.URL) -> sa.Engine:
    """Make an engine for `url`; its errors never show a row's values."""
    return _sqlite(url) if url.get_backend_name() == "sqlite" else _postgresql(url)


def writer_of(engine: sa.Engine, *, flushed: bool = True) -> sa.Engine:
    """Return the engine with transactions that take the write lock first.

    A commit that is not `flushed` is only handed to the operating system; the next flushed one brings it to disk.
    """
    if engine.dialect.name == "sqlite":
        dialect = _sqlite_dialect(f"PRAGMA synchronous={'FULL' if flushed else 'NORMAL'}", "BEGIN IMMEDIATE")
    else:
        lock = f"SELECT pg_advisory_xact_lock({WRITE_LOCK_KEY})"
        dialect = _beginning(engine.dialect, lock, *(() if flushed else ("SET LOCAL synchronous_commit TO off",)))
    writer = engine.execution_options()
    writer.dialect = dialect
    return writer


def reader_of(engine: sa.Engine) -> sa.Engine:
    """Return the engine with transactions that see one snapshot throughout."""
    if engine.dialect.name == "sqlite":
        return engine
    return engine.execution_options(isolation_level="REPEATABLE READ", postgresql_readonly=True)


def _beginning(dialect: sa.Dialect, *statements: str) -> sa.Dialect:
    """Return a copy of the dialect that begins transactions with statements of ours.

    An engine's "begin" event would do that too, but any event makes every statement of the engine take twice as long.
    """

    def do_begin(_dialect: sa.Dialect, dbapi_connection: Any) -> None:
        cursor = dbapi_connection.cursor()
        for statement in statements:
            cursor.execute(statement)
        cursor.close()

    kind = type(dialect)
    own = {"do_begin": do_begin, "supports_statement_cache": True}
    changed: sa.Dialect = object.__new__(type(kind.__name__, (kind,), own))
    changed.__dict__ = dialect.__dict__  # shared state: the first connection stores what it learns about the server
    return changed


@cache
def _sqlite_dialect(*statements: str) -> sa.Dialect:
    """Return the dialect of every SQLite engine of this process that begins transactions with these statements.

    A compiled statement belongs to a dialect: engines that share one share what was compiled.
    """
    engine = sa.create_engine("sqlite://", **JSON_TEXT)
    engine.connect().close()  # the dialect learns what this SQLite can do
    engine.dispose()
    return _beginning(engine.dialect, *statements)


def _sqlite(url: sa.URL) -> sa.Engine:
    memory = in_memory(url)
    args: dict[str, Any] = {"connect_args": {"check_same_thread": False, "timeout": float(LOCK_WAIT_S)}, **JSON_TEXT}
    args["execution_options"] = {"compiled_cache": _compiled}
    if memory:
        args["poolclass"] = StaticPool
    else:
        _make_private(Path(str(url.database)))
    engine = sa.create_engine(url, hide_parameters=True, **args)

    def on_connect(dbapi_connection: Any, _record: object) -> None:
        dbapi_connection.isolation_level = None  # we say BEGIN ourselves
        # Overwrite deleted content, so that no page of the file holds what was forgotten.
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "secure_delete=ON"):
            dbapi_connection.execute(f"PRAGMA {pragma}")

    event.listen(engine, "connect", on_connect)
    engine.dialect = _sqlite_dialect("BEGIN")
    return engine


def _make_private(path: Path) -> None:
    """Create the folder 0700 and the file 0600; SQLite gives its side files the mode of the file.

    An existing file is not opened: closing it would release every lock that SQLite holds on it in this process, and the
    next process to close the database would delete its write-ahead log while it is in use.
    """
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except FileExistsError:
        if not path.is_file() or not os.access(path, os.R_OK | os.W_OK):
            raise _not_writable(path, os.strerror(errno.EISDIR if path.is_dir() else errno.EACCES)) from None
    except OSError as error:
        raise _not_writable(path, error.strerror) from None


def _not_writable(path: Path, why: str | None) -> ConfigError:
    return ConfigError(f"the database file {path} cannot be opened for writing ({why})")


def _postgresql(url: sa.URL, name: str = "butler", options: tuple[str, ...] = (), **more: Any) -> sa.Engine:
    connect = {
        "application_name": f"{name} {os.getpid()}",
        "connect_timeout": CONNECT_WAIT_S,
        "options": " ".join(f"-c {option}" for option in (f"lock_timeout={LOCK_WAIT_S}s", *options)),
        **more.pop("connect_args", {}),
    }
    return sa.create_engine(url, hide_parameters=True, pool_pre_ping=True, connect_args=connect, **JSON_TEXT, **more)


def single_connection_engine(url: sa.URL) -> sa.Engine:
    """Make an engine with exactly one PostgreSQL connection, under the name of a daemon.

    Both ends detect a dead peer within half a minute, so that its locks become free.
    """
    alive = ("tcp_keepalives_idle=10", "tcp_keepalives_interval=5", "tcp_keepalives_count=3")
    mine = {"keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 25_000}
    return _postgresql(url, "butler daemon", alive, pool_size=1, max_overflow=0, connect_args=mine)
