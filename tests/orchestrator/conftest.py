"""A butler over SQLite in memory, with the owner's people in it."""

from collections.abc import AsyncIterator

import pytest

from butler.store.store import Store
from tests.orchestrator.harness import Harness
from tests.support.tables import create_tables


@pytest.fixture
async def harness() -> AsyncIterator[Harness]:
    store = Store("sqlite://")
    create_tables(store.engine)
    harness = Harness(store)
    await harness.meet()
    yield harness
    await store.close()
