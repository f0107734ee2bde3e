"""The revision of a database's tables: which one it is, whether this program knows it, and how to create tables."""

from functools import cache
from typing import Any

import sqlalchemy as sa

from butler.contract.errors import ConfigError
from butler.store.tables import OLDEST_REVISION, REVISION, metadata

version = sa.Table("alembic_version", sa.MetaData(), sa.Column("version_num", sa.String(32), nullable=False))
version.append_constraint(sa.PrimaryKeyConstraint("version_num", name="alembic_version_pkc"))


def stored_revision(connection: sa.Connection) -> str | None:
    """Return the revision of the tables; None if there are none of ours."""
    if not sa.inspect(connection).has_table(version.name):
        return None
    return connection.execute(sa.select(version.c.version_num)).scalar()


def refuse_unknown(revision: str) -> None:
    """Raise `ConfigError` if `revision` is a newer program's, or older than the first migration."""
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
    """Create all tables at this program's revision, as the migrations would, without loading them."""
    if stored_revision(connection) is not None:
        return
    foreign = set(sa.inspect(connection).get_table_names()) & set(metadata.tables)
    if foreign:
        raise ConfigError(
            f"the database holds a table {min(foreign)} that is not Butler's: give Butler a database of its own"
        )
    create_tables(connection)
    version.create(connection, checkfirst=True)
    connection.execute(version.insert().values(version_num=REVISION))


def create_tables(connection: sa.Connection) -> None:
    """Create all tables and indexes, without noting a revision; none of them may exist."""
    for statement in _statements(connection.dialect.name, connection.dialect.driver):
        connection.exec_driver_sql(statement)


@cache
def _statements(database: str, driver: str) -> tuple[str, ...]:
    """Return the statements that create all tables; compiling them takes several times as long as executing them."""
    statements: list[str] = []

    def note(statement: Any, *_: Any, **__: Any) -> None:
        statements.append(str(statement.compile(dialect=engine.dialect)))

    engine = sa.create_mock_engine(f"{database}+{driver}://", note)
    metadata.create_all(engine, checkfirst=False)
    return tuple(statements)
