"""A world over SQLite in memory, with the owner's people in it."""

from collections.abc import AsyncIterator

import pytest

from butler.store.store import Store
from tests.automations.world import World
from tests.support.tables import create_tables


@pytest.fixture
async def world() -> AsyncIterator[World]:
    store = Store("sqlite://")
    create_tables(store.engine)
    world = World(store)
    await world.meet()
    yield world
    await store.close()
