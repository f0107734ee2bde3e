"""A world over SQLite in memory, with the owner's people in it."""

from collections.abc import AsyncIterator

import pytest

from butler.store.store import Store
from butler.store.tables import metadata
from tests.automations.world import World


@pytest.fixture
async def world() -> AsyncIterator[World]:
    store = Store("sqlite://")
    metadata.create_all(store.engine)
    world = World(store)
    await world.meet()
    yield world
    await store.close()
