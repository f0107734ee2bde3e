"""Databases for tests: a SQLite file, SQLite in memory and PostgreSQL, one suite over all of them."""

from collections import defaultdict
from collections.abc import AsyncIterator
from pathlib import Path

import psycopg
import pytest
from psycopg import sql

from butler.store.open import open_store
from butler.store.store import Store

FILE = "sqlite:///butler.db"
MEMORY = "sqlite://"


_free: dict[str, list[str]] = defaultdict(list)
"""Databases that an earlier test has left, by server: emptying one is several times cheaper than making one."""


def empty_postgres(request: pytest.FixtureRequest) -> str:
    """The URL of an empty PostgreSQL database, this test's own."""
    server = request.getfixturevalue("postgres")
    free = _free[server.url]
    url = free.pop() if free else server.create_database()
    with psycopg.connect(url, autocommit=True) as connection:
        schemas = "SELECT nspname FROM pg_namespace WHERE nspname = 'public' OR nspname LIKE 'before_restore_%'"
        for (name,) in connection.execute(schemas).fetchall():
            connection.execute(sql.SQL("DROP SCHEMA {} CASCADE").format(sql.Identifier(name)))
        connection.execute("CREATE SCHEMA public")
    request.addfinalizer(lambda: free.append(url))
    return url


def postgres_param() -> object:
    return pytest.param("postgres", marks=pytest.mark.services, id="postgres")


@pytest.fixture(params=[pytest.param("file", id="file"), postgres_param()])
def lasting_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database that outlives its connection."""
    return FILE if request.param == "file" else empty_postgres(request)


@pytest.fixture(params=[pytest.param("file", id="file"), pytest.param("memory", id="memory"), postgres_param()])
def url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database."""
    kinds = {"file": FILE, "memory": MEMORY}
    return kinds.get(request.param) or empty_postgres(request)


@pytest.fixture
async def store(url: str, tmp_path: Path) -> AsyncIterator[Store]:
    store = open_store(url, data_dir=tmp_path)
    yield store
    await store.close()


@pytest.fixture
async def lasting_store(lasting_url: str, tmp_path: Path) -> AsyncIterator[Store]:
    store = open_store(lasting_url, data_dir=tmp_path)
    yield store
    await store.close()
