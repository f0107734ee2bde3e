"""Opens the store at the program's own revision: creates it, upgrades it, or refuses what a newer Butler wrote."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import exc

from butler.contract.errors import ConfigError
from butler.store.connect import in_memory, make_engine, resolve_url, writer_of
from butler.store.faults import in_our_words
from butler.store.store import CommitProbe, Store
from butler.store.tables import OLDEST_REVISION, REVISION, metadata

version = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), nullable=False))
version.append_constraint(sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"))


def open_store(url: str, *, data_dir: Path, probe: CommitProbe | None = None, migrate: bool = True) -> Store:
    """Open the database at `url`, in `data_dir` where the URL is a relative SQLite path.

    An empty database gets its tables. An older one is backed up to `data_dir/backups` and upgraded, or refused where
    `migrate` is False. Raises `ConfigError` with one sentence, or `StoreUnavailableError`.
    """
    resolved = resolve_url(url, data_dir)
    if in_memory(resolved):
        store = Store(resolved, probe)
        with writer_of(store.engine).begin() as connection:
            create(connection)
        return store
    engine = make_engine(resolved)
    try:
        prepare(engine, data_dir, migrate=migrate)
    except exc.DBAPIError as error:
        raise in_our_words(error) from None
    finally:
        engine.dispose()
    return Store(resolved, probe)


def prepare(engine: sa.Engine, data_dir: Path, *, migrate: bool = True) -> None:
    """Bring the database to this program's revision."""
    with engine.connect() as connection:
        stored = stored_revision(connection)
    if stored == REVISION:
        return
    if stored is None:
        with writer_of(engine).begin() as connection:
            create(connection)
        return
    refuse_unknown(stored)
    if not migrate:
        raise ConfigError(f"the database is at revision {stored}, this Butler needs {REVISION}: run butler db upgrade")
    _upgrade(engine, data_dir)


def stored_revision(connection: sa.Connection) -> str | None:
    """The revision of the tables; None where there are none of ours."""
    if not sa.inspect(connection).has_table(version.name):
        return None
    return connection.execute(sa.select(version.c.version_num)).scalar()


def refuse_unknown(revision: str) -> None:
    """Raise `ConfigError` when `revision` is a newer program's, or older than the first migration."""
    if revision < OLDEST_REVISION:
        raise ConfigError(
            f"the database was written before the first release (revision {revision}, this Butler reads "
            f"{OLDEST_REVISION} and later): put it aside, and begin with an empty one"
        )
    if revision > REVISION:
        raise ConfigError(
            f"the database was written by a newer Butler (revision {revision}, this one knows {REVISION}): "
            "install that version again, or restore a backup"
        )


def create(connection: sa.Connection) -> None:
    """Create all tables at this program's revision, as the migrations would; they need not be loaded for it."""
    if stored_revision(connection) is not None:
        return
    foreign = set(sa.inspect(connection).get_table_names()) & set(metadata.tables)
    if foreign:
        raise ConfigError(
            f"the database holds a table {min(foreign)} that is not Butler's: give Butler a database of its own"
        )
    metadata.create_all(connection, checkfirst=False)
    version.create(connection, checkfirst=True)
    connection.execute(version.insert().values(version_num=REVISION))


def _upgrade(engine: sa.Engine, data_dir: Path) -> None:
    from butler.store import migrate  # noqa: PLC0415 - Alembic is loaded only when a revision differs
    from butler.store.backup import backup_engine  # noqa: PLC0415 - the same

    backup_engine(engine, data_dir, data_dir / "backups")
    with writer_of(engine).begin() as connection:
        stored = stored_revision(connection)
        if stored != REVISION:
            migrate.upgrade(connection, REVISION)
