"""Databases for tests: a SQLite file, SQLite in memory and PostgreSQL, one suite over all of them."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.store.open import open_store
from butler.store.store import Store

FILE = "sqlite:///butler.db"
MEMORY = "sqlite://"


def postgres_param() -> object:
    return pytest.param("postgres", marks=pytest.mark.services, id="postgres")


@pytest.fixture(params=[pytest.param("file", id="file"), postgres_param()])
def lasting_url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database that outlives its connection."""
    return FILE if request.param == "file" else request.getfixturevalue("postgres").create_database()


@pytest.fixture(params=[pytest.param("file", id="file"), pytest.param("memory", id="memory"), postgres_param()])
def url(request: pytest.FixtureRequest) -> str:
    """The URL of an empty database."""
    kinds = {"file": FILE, "memory": MEMORY}
    return kinds.get(request.param) or request.getfixturevalue("postgres").create_database()


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
