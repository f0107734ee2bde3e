"""A house over SQLite: in memory, or in a file where a test asks for a database that outlives it."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.store.store import Store
from tests.approvals.house import House, create_tables


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    store = create_tables(Store("sqlite://"))
    yield store
    await store.close()


@pytest.fixture
async def file_store(tmp_path: Path) -> AsyncIterator[Store]:
    store = create_tables(Store(f"sqlite:///{tmp_path}/butler.db"))
    yield store
    await store.close()


@pytest.fixture
def house(store: Store) -> House:
    return House(store)
