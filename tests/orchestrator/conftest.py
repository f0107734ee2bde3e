"""A house over SQLite in memory, with the owner's people in it."""

from collections.abc import AsyncIterator

import pytest

from butler.store.store import Store
from butler.store.tables import metadata
from tests.orchestrator.harness import Harness


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = Store("sqlite://")
    metadata.create_all(store.engine)
    harness = Harness(store)
    await harness.meet()
    yield harness
    await store.close()
