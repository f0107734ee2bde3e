"""Connects to the database beside a running daemon: to read, or to change rows in one transaction."""

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa
from sqlalchemy import exc

from butler.contract.errors import Refuse
from butler.store.connect import make_engine, reader_of, resolve_url, writer_of
from butler.store.faults import in_our_words
from butler.store.revisions import refuse_unknown, stored_revision
from butler.store.tables import REVISION
from config.load import Loaded, load


@contextmanager
def reading(path: Path) -> Generator[sa.Connection]:
    """Open a read-only connection; raise `Refuse` if there is no database of this version yet."""
    with _connected(load(path), writes=False) as connection:
        yield connection


@contextmanager
def changing(path: Path) -> Generator[sa.Connection]:
    """Open a transaction that commits durably at the block's end and rolls back on errors; raise as `reading` does."""
    with _connected(load(path), writes=True) as connection:
        yield connection


@contextmanager
def _connected(loaded: Loaded, *, writes: bool) -> Generator[sa.Connection]:
    url = resolve_url(loaded.settings.store.url, loaded.data_dir)
    if url.get_backend_name() == "sqlite" and not Path(str(url.database)).exists():
        raise Refuse(f"there is no database at {url.database} yet; `butler run` makes one")
    engine = make_engine(url)
    try:
        with writer_of(engine).begin() if writes else reader_of(engine).connect() as connection:
            _check_revision(connection)
            yield connection
    except exc.SQLAlchemyError as error:
        raise in_our_words(error) from None
    finally:
        engine.dispose()


def _check_revision(connection: sa.Connection) -> None:
    stored = stored_revision(connection)
    if stored is None:
        raise Refuse("the database is empty; `butler run` makes its tables")
    refuse_unknown(stored)
    if stored != REVISION:
        raise Refuse(f"the database is at revision {stored}, this Butler needs {REVISION}: run butler db upgrade")
