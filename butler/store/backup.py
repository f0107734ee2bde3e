"""Creates and restores backups: all rows of one moment while the daemon runs, and all blobs.

Rows are read in one snapshot, and blobs after it: a blob is always written before the row that names it, and none is
deleted during a backup, so an archive holds every blob that its rows name. It contains no secrets, sign-ins or
settings.
"""

import base64
import json
import os
import sqlite3
from collections.abc import Generator, Iterable
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, product
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from sqlalchemy import exc
from sqlalchemy.schema import CreateSchema

from butler.contract.errors import ConfigError, Refuse
from butler.store import archive
from butler.store.blobs import FileBlobs
from butler.store.connect import in_memory, make_engine, reader_of, resolve_url, writer_of
from butler.store.faults import in_our_words
from butler.store.lock import DataLock
from butler.store.progress import Counter, Stage, Tell, ignore_progress
from butler.store.queries import cursors, daemons
from butler.store.revisions import create, refuse_unknown, stored_revision
from butler.store.tables import REVISION, metadata

BLOB_FOLDER = "blobs"
CHUNK = 500
LEFT_OUT = frozenset({"seen_raws"})
"""Whole mails of the owner's mailbox: they remain there, and are read again."""


@dataclass(frozen=True, slots=True)
class _Source:
    """A checked archive, and the receiver of the restore's progress."""

    path: Path
    manifest: archive.Manifest
    tell: Tell


def backup(url: str, data_dir: Path, target_dir: Path, tell: Tell = ignore_progress) -> Path:
    """Write an archive into `target_dir`; return its path. The daemon may be running. `tell` receives the progress."""
    resolved = resolve_url(url, data_dir)
    if in_memory(resolved) or (_is_file(resolved) and not Path(str(resolved.database)).exists()):
        raise Refuse("there is no database to back up yet; `butler run` makes one")
    with _disposed(resolved) as engine:
        return backup_engine(engine, data_dir, target_dir, tell)


def backup_engine(engine: sa.Engine, data_dir: Path, target_dir: Path, tell: Tell = ignore_progress) -> Path:
    """Back up the database of an engine, as `backup` does."""
    now = datetime.now(UTC)
    path = target_dir / f"butler-{_stamp(now)}.tar.gz"
    blobs = FileBlobs(data_dir / BLOB_FOLDER)
    with blobs.kept(), archive.writing(path) as writer, reader_of(engine).connect() as connection:
        revision = stored_revision(connection)
        if revision is None:
            raise Refuse("there is no database to back up yet; `butler run` makes one")
        tables = _tables(connection)
        counter = Counter(tell, Stage.ROWS, sum(_count(connection, table) for table in tables))
        for table in tables:
            if table.name in LEFT_OUT:
                writer.add_table(table.name, ())
                continue
            rows = connection.execution_options(yield_per=CHUNK).execute(sa.select(table)).mappings()
            writer.add_table(table.name, (_as_text(row) for row in counter.through(rows)))
        digests = list(blobs.digests())
        for digest in Counter(tell, Stage.FILES, len(digests)).through(digests):
            writer.add_blob(digest, blobs.get_now(digest))
        writer.finish(revision, now.isoformat())
    return path


def restore(
    path: Path, url: str, data_dir: Path, *, force: bool = False, tell: Tell = ignore_progress
) -> archive.Manifest:
    """Restore an archive's rows and blobs; return its manifest.

    Refuses a damaged archive, an unknown revision, a running daemon, and (without `force`) existing data. With `force`
    the old rows are kept: the file, or PostgreSQL schema, `...before_restore_<time>`.
    """
    manifest = archive.verify(path, tell)
    source = _Source(path, manifest, tell)
    refuse_unknown(manifest.revision)
    resolved = resolve_url(url, data_dir)
    if in_memory(resolved):
        raise ConfigError("store.url names no lasting database to restore into")
    with DataLock(url, data_dir):
        try:
            if _is_file(resolved):
                _into_file(source, Path(str(resolved.database)), data_dir, force=force)
            else:
                _into_postgresql(source, resolved, data_dir, force=force)
        except exc.DBAPIError as error:
            raise in_our_words(error) from None
        except archive.DAMAGE as error:  # changed since it was checked
            raise archive.damaged(path, str(error)) from None
    return manifest


def _into_file(source: _Source, target: Path, data_dir: Path, *, force: bool) -> None:
    if target.exists() and target.stat().st_size > 0 and not force:
        raise _there_already(str(target))
    fresh = target.with_name(target.name + ".restoring")
    _remove(fresh)
    try:
        with _disposed(sa.URL.create("sqlite", database=str(fresh))) as engine, writer_of(engine).begin() as connection:
            _fill(connection, source, data_dir)
    except BaseException:
        _remove(fresh)
        raise
    with closing(sqlite3.connect(fresh)) as plain:  # leave one file, without a write-ahead log
        plain.execute("PRAGMA journal_mode=DELETE")
    if target.exists():
        with suppress(sqlite3.Error), closing(sqlite3.connect(target)) as plain:
            plain.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        kept = target.with_name(f"{target.name}.before_restore_{_stamp(datetime.now(UTC))}")
        for suffix in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                Path(f"{target}{suffix}").rename(f"{kept}{suffix}")
    fresh.replace(target)
    folder = os.open(target.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def _into_postgresql(source: _Source, url: sa.URL, data_dir: Path, *, force: bool) -> None:
    with _disposed(url) as engine, writer_of(engine).begin() as connection:
        if stored_revision(connection) is not None:
            if not force:
                raise _there_already("PostgreSQL")
            kept = f"before_restore_{_stamp(datetime.now(UTC)).lower()}"
            connection.execute(CreateSchema(kept))
            for name in [*(table.name for table in _tables(connection)), "alembic_version"]:
                connection.exec_driver_sql(f'ALTER TABLE "{name}" SET SCHEMA "{kept}"')
        _fill(connection, source, data_dir)


def _fill(connection: sa.Connection, source: _Source, data_dir: Path) -> None:
    """Create the tables at the archive's revision, and insert rows and blobs."""
    manifest = source.manifest
    if manifest.revision == REVISION:
        create(connection)
    else:
        from butler.store import migrate  # noqa: PLC0415 - Alembic is loaded only when a revision differs

        migrate.upgrade(connection, manifest.revision)
    tables = {table.name: table for table in _tables(connection)}
    if set(tables) != set(manifest.tables):
        raise Refuse(f"{source.path} does not hold the tables of its revision; use another backup")
    blobs = FileBlobs(data_dir / BLOB_FOLDER)
    rows = Counter(source.tell, Stage.ROWS, sum(entry.rows for entry in manifest.tables.values()))
    files = Counter(source.tell, Stage.FILES, manifest.blobs)
    for name, file in archive.members(source.path):  # parents before children, in the order of the backup
        if archive.blob_of(name) is not None:
            blobs.put_now(file.read())
            files.add()
        elif (table := archive.table_of(name)) is not None:
            _insert(connection, tables[table], rows.through(file))
    if not (rows.is_whole and files.is_whole):
        raise archive.damaged(source.path, "it was changed since it was checked")
    cursors.put_fact(connection, cursors.RESTORED, manifest.made_at, datetime.now(UTC))
    # A daemon that has lost its lock meanwhile must not use the restored rows as its own.
    daemons.begin(connection, "", os.getpid(), datetime.now(UTC))


def _insert(connection: sa.Connection, table: sa.Table, lines: Iterable[bytes]) -> None:
    binary = [column.name for column in table.columns if isinstance(column.type, sa.LargeBinary)]
    left, anything = iter(lines), False
    while rows := [json.loads(line) for line in islice(left, CHUNK)]:
        for row, column in product(rows, binary):
            row[column] = None if row[column] is None else base64.b64decode(row[column])
        connection.execute(table.insert(), rows)
        anything = True
    if connection.dialect.name != "postgresql" or not anything:
        return
    for column in table.primary_key:
        sequence = connection.execute(sa.select(sa.func.pg_get_serial_sequence(table.name, column.name))).scalar()
        if sequence:
            highest = sa.select(sa.func.max(column)).scalar_subquery()
            connection.execute(sa.select(sa.func.setval(sequence, highest)))


def _count(connection: sa.Connection, table: sa.Table) -> int:
    if table.name in LEFT_OUT:
        return 0
    return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def _as_text(row: sa.RowMapping) -> dict[str, Any]:
    """Encode a row's bytes in Base64 for JSON; at the restore the column's type tells that they are bytes."""
    return {key: base64.b64encode(value).decode() if isinstance(value, bytes) else value for key, value in row.items()}


def _tables(connection: sa.Connection) -> list[sa.Table]:
    """Reflect our tables from the database, at any revision, parents first."""
    found = sa.MetaData()
    found.reflect(connection, only=lambda name, _: name in metadata.tables)
    for table in found.tables.values():
        for column in table.columns:
            if isinstance(column.type, sa.JSON):
                column.type = sa.JSON(none_as_null=True)
    return found.sorted_tables


def _there_already(where: str) -> Refuse:
    return Refuse(f"{where} holds data already; say --force to put it aside under a dated name and restore")


def _is_file(url: sa.URL) -> bool:
    return url.get_backend_name() == "sqlite"


def _remove(database: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        Path(f"{database}{suffix}").unlink(missing_ok=True)


def _stamp(now: datetime) -> str:
    return now.strftime("%Y%m%dT%H%M%S%fZ")


@contextmanager
def _disposed(url: sa.URL) -> Generator[sa.Engine]:
    engine = make_engine(url)
    try:
        yield engine
    finally:
        engine.dispose()
