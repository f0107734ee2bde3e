"""A butler with its day, over SQLite in memory."""

from collections.abc import AsyncIterator

import pytest

from butler.store.store import Store
from tests.digests.day_harness import DayHarness
from tests.support.tables import create_tables


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    store = Store("sqlite://")
    create_tables(store.engine)
    yield store
    await store.close()


@pytest.fixture
async def home(store: Store) -> DayHarness:
    """One where nothing is told by itself but what a test asks for."""
    home = DayHarness(store)
    await home.meet()
    await home.begin()
    return home
