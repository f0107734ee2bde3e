"""A house with its day, over SQLite in memory."""

from collections.abc import AsyncIterator

import pytest

from butler.store.store import Store
from butler.store.tables import metadata
from tests.digests.days import DayHome


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    store = Store("sqlite://")
    metadata.create_all(store.engine)
    yield store
    await store.close()


@pytest.fixture
async def home(store: Store) -> DayHome:
    """One where nothing is told by itself but what a test asks for."""
    home = DayHome(store)
    await home.meet()
    await home.begin()
    return home
