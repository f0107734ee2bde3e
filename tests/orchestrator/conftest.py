"""A house over SQLite in memory, with the owner's people in it."""

from collections.abc import AsyncIterator

import pytest

from butler.store.store import Store
from butler.store.tables import metadata
from tests.orchestrator.house import House


@pytest.fixture
async def house() -> AsyncIterator[House]:
    store = Store("sqlite://")
    metadata.create_all(store.engine)
    house = House(store)
    await house.meet()
    yield house
    await store.close()
