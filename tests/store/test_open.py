"""Opening the store: a new one is made, an old one upgraded after a backup, a newer one refused."""

import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
import sqlalchemy as sa

from butler.contract.errors import ConfigError
from butler.store import migrate
from butler.store.connect import make_engine, resolve_url, writer_of
from butler.store.errors import StoreUnavailableError
from butler.store.instants import EPOCH
from butler.store.open import open_store
from butler.store.queries import cursors
from butler.store.revisions import create, stored_revision
from butler.store.tables import REVISION, metadata

NEXT = f"{int(REVISION) + 1:04}"
ONE_MORE = f'''"""One column more."""

import sqlalchemy as sa
from alembic import op

revision = "{NEXT}"
down_revision = "{REVISION}"


def upgrade() -> None:
    op.add_column("cursors", sa.Column("colour", sa.Text(), nullable=False, server_default="green"))


def downgrade() -> None:
    op.drop_column("cursors", "colour")
'''


@contextmanager
def engine_of(url: str, folder: Path) -> Iterator[sa.Engine]:
    engine = make_engine(resolve_url(url, folder))
    yield engine
    engine.dispose()


def shape(connection: sa.Connection) -> dict[str, object]:
    """All that the database says of its tables."""
    look = sa.inspect(connection)
    tables = {
        name: [
            [(c["name"], str(c["type"]), c["nullable"], c["default"]) for c in look.get_columns(name)],
            look.get_pk_constraint(name),
            sorted(look.get_unique_constraints(name), key=str),
            sorted(look.get_foreign_keys(name), key=str),
            sorted(look.get_indexes(name), key=str),
        ]
        for name in sorted(look.get_table_names())
    }
    if connection.dialect.name == "sqlite":
        statement = "SELECT name FROM sqlite_master WHERE sql LIKE '%AUTOINCREMENT%'"
        return tables | {"autoincrement": sorted(connection.exec_driver_sql(statement).scalars())}
    return tables


def test_the_migrations_make_the_very_tables_that_the_program_declares(url: str, tmp_path: Path):
    with engine_of(url, tmp_path) as engine:
        with writer_of(engine).begin() as connection:
            create(connection)
            declared = shape(connection)
            metadata.drop_all(connection)
            connection.exec_driver_sql("DROP TABLE alembic_version")
        with writer_of(engine).begin() as connection:
            migrate.upgrade(connection)
            assert stored_revision(connection) == REVISION
            assert shape(connection) == declared
    assert len(declared) > len(metadata.tables)


def test_every_migration_can_be_undone(url: str, tmp_path: Path):
    with engine_of(url, tmp_path) as engine, writer_of(engine).begin() as connection:
        create(connection)
        migrate.downgrade(connection, "base")
        assert set(sa.inspect(connection).get_table_names()) <= {"alembic_version", "sqlite_sequence"}
        migrate.upgrade(connection)
        assert stored_revision(connection) == REVISION


@pytest.fixture
def newer_program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program with one migration more than ours."""
    scripts = tmp_path / "scripts"
    shutil.copytree(migrate.SCRIPTS, scripts, ignore=shutil.ignore_patterns("__pycache__"))
    (scripts / "versions" / f"v{NEXT}_colour.py").write_text(ONE_MORE)
    monkeypatch.setattr(migrate, "SCRIPTS", scripts)
    monkeypatch.setattr("butler.store.open.REVISION", NEXT)


async def test_an_older_database_is_backed_up_and_upgraded_and_the_upgrade_can_be_undone(
    lasting_url: str, tmp_path: Path, request: pytest.FixtureRequest
):
    old = open_store(lasting_url, data_dir=tmp_path)
    await old.write(lambda c: cursors.put(c, "offset", "17", EPOCH))
    await old.close()
    request.getfixturevalue("newer_program")
    with pytest.raises(ConfigError, match="butler db upgrade"):
        open_store(lasting_url, data_dir=tmp_path, migrate=False)
    new = open_store(lasting_url, data_dir=tmp_path)
    row = await new.read(lambda c: c.exec_driver_sql("SELECT value, colour FROM cursors").one())
    assert tuple(row) == ("17", "green")
    await new.close()
    (archive,) = (tmp_path / "backups").iterdir()
    assert archive.name.startswith("butler-")
    with engine_of(lasting_url, tmp_path) as engine, writer_of(engine).begin() as connection:
        migrate.downgrade(connection, REVISION)
        assert cursors.get(connection, "offset") == "17"
        assert stored_revision(connection) == REVISION


async def test_a_database_of_a_newer_program_is_refused_in_one_sentence(lasting_url: str, tmp_path: Path):
    await open_store(lasting_url, data_dir=tmp_path).close()
    with engine_of(lasting_url, tmp_path) as engine, writer_of(engine).begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    with pytest.raises(ConfigError, match=r"newer Butler \(revision 9999, this one knows \d+\): install") as caught:
        open_store(lasting_url, data_dir=tmp_path)
    assert "\n" not in str(caught.value)


async def test_a_database_from_before_the_first_migration_is_refused_in_one_sentence(lasting_url: str, tmp_path: Path):
    await open_store(lasting_url, data_dir=tmp_path).close()
    with engine_of(lasting_url, tmp_path) as engine, writer_of(engine).begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '0013'")
    with pytest.raises(ConfigError, match=r"before the first release \(revision 0013, .+ 0015 and later\)") as caught:
        open_store(lasting_url, data_dir=tmp_path)
    assert "\n" not in str(caught.value)
    assert not (tmp_path / "backups").exists()


def test_a_database_with_tables_of_somebody_else_is_refused(lasting_url: str, tmp_path: Path):
    with engine_of(lasting_url, tmp_path) as engine, writer_of(engine).begin() as connection:
        connection.exec_driver_sql("CREATE TABLE work (hours INTEGER)")
    with pytest.raises(ConfigError, match="work that is not Butler's"):
        open_store(lasting_url, data_dir=tmp_path)


async def test_a_relative_path_lies_in_the_data_folder_and_only_the_owner_may_read_it(tmp_path: Path):
    folder = tmp_path / "data"
    store = open_store("sqlite:///butler.db", data_dir=folder)
    await store.write(lambda c: cursors.put(c, "offset", "17", EPOCH))
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in folder.iterdir()}
    assert modes == {"butler.db": 0o600, "butler.db-wal": 0o600, "butler.db-shm": 0o600}
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    await store.close()


async def test_a_commit_is_on_disk_before_it_is_told(tmp_path: Path):
    store = open_store("sqlite:///butler.db", data_dir=tmp_path)
    pragmas = ("journal_mode", "synchronous", "foreign_keys")
    read = [await store.write(lambda c, p=p: c.exec_driver_sql(f"PRAGMA {p}").scalar_one()) for p in pragmas]
    assert read == ["wal", 2, 1]
    await store.close()


@pytest.mark.parametrize("url", ["mysql://host/db", "nonsense", "sqlite://host/path", "postgresql+asyncpg://host/db"])
def test_an_url_of_another_kind_is_refused_without_repeating_it(url: str, tmp_path: Path):
    with pytest.raises(ConfigError, match=r"store\.url must look like") as caught:
        open_store(url, data_dir=tmp_path)
    assert "host" not in str(caught.value).replace("user@host", "")


def test_postgresql_is_reached_through_psycopg_3(tmp_path: Path):
    for name in ("postgresql://u@h/d", "postgres://u@h/d", "postgresql+psycopg://u@h/d"):
        assert resolve_url(name, tmp_path).drivername == "postgresql+psycopg"


def test_a_server_that_is_not_there_is_told_without_its_password(tmp_path: Path):
    with pytest.raises(StoreUnavailableError) as caught:
        open_store("postgresql://butler:hunter2@127.0.0.1:1/butler", data_dir=tmp_path)
    assert "hunter2" not in str(caught.value)


def test_a_folder_that_may_not_be_written_is_told(tmp_path: Path):
    (tmp_path / "butler.db").mkdir()
    with pytest.raises(ConfigError, match="cannot be opened for writing"):
        open_store("sqlite:///butler.db", data_dir=tmp_path)


def test_a_file_that_is_no_database_is_told(tmp_path: Path):
    (tmp_path / "butler.db").write_text("a shopping list " * 100)
    with pytest.raises(StoreUnavailableError, match="The database is damaged: restore a backup"):
        open_store("sqlite:///butler.db", data_dir=tmp_path)


def test_alembic_is_not_loaded_where_the_revision_is_right(tmp_path: Path):
    code = (
        "import sys, pathlib; from butler.store.open import open_store\n"
        "for _ in range(2): open_store('sqlite:///butler.db', data_dir=pathlib.Path(sys.argv[1]))\n"
        "assert 'alembic' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path)], check=True, timeout=60)
    with closing(sqlite3.connect(tmp_path / "butler.db")) as plain:
        assert plain.execute("SELECT version_num FROM alembic_version").fetchall() == [(REVISION,)]


def test_databases_of_one_process_share_what_was_compiled(tmp_path: Path):
    first, second = (make_engine(sa.make_url(f"sqlite:///{tmp_path / name}.db")) for name in ("first", "second"))
    assert writer_of(first).dialect is writer_of(second).dialect
    assert writer_of(first).dialect is not writer_of(first, flushed=False).dialect
    query = sa.select(sa.literal(1).label("only_here"))
    for engine, found in ((first, "CACHE_MISS"), (second, "CACHE_HIT")):
        with engine.connect() as connection:
            assert connection.execute(query).context.cache_hit.name == found
        engine.dispose()
