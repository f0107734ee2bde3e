"""Opens the store at the program's revision: creates it, upgrades it, or refuses what a newer Butler wrote."""

from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import exc

from butler.contract.errors import ConfigError
from butler.store.connect import in_memory, make_engine, resolve_url, writer_of
from butler.store.faults import in_our_words
from butler.store.revisions import create, refuse_unknown, stored_revision
from butler.store.store import CommitProbe, Store
from butler.store.tables import REVISION


def open_store(url: str, *, data_dir: Path, probe: CommitProbe | None = None, migrate: bool = True) -> Store:
    """Open the database at `url`, in `data_dir` if the URL is a relative SQLite path.

    Creates the tables of an empty database. Backs an older one up to `data_dir/backups` and upgrades it, or refuses it
    if `migrate` is False. Raises `ConfigError` with one sentence, or `StoreUnavailableError`.
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


def _upgrade(engine: sa.Engine, data_dir: Path) -> None:
    from butler.store import migrate  # noqa: PLC0415 - Alembic is loaded only when a revision differs
    from butler.store.backup import backup_engine  # noqa: PLC0415 - the same

    backup_engine(engine, data_dir, data_dir / "backups")
    with writer_of(engine).begin() as connection:
        stored = stored_revision(connection)
        if stored != REVISION:
            migrate.upgrade(connection, REVISION)
