"""An approvals harness over SQLite in memory, or over a lasting database: a file, or PostgreSQL."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.store.store import Store
from tests.approvals.crashing_store import CrashingStore
from tests.approvals.harness import Harness, create_tables
from tests.services.plugin import postgres
from tests.store.fixtures import lasting_store, lasting_url

__all__ = ["lasting_store", "lasting_url", "postgres"]


@pytest.fixture
async def store() -> AsyncIterator[Store]:
    store = create_tables(Store("sqlite://"))
    yield store
    await store.close()


@pytest.fixture
async def mortal(tmp_path: Path) -> AsyncIterator[CrashingStore]:
    store = CrashingStore(f"sqlite:///{tmp_path}/butler.db")
    create_tables(store)
    yield store
    await store.close()


@pytest.fixture
def harness(store: Store) -> Harness:
    return Harness(store)


@pytest.fixture
def lasting_harness(lasting_store: Store) -> Harness:
    return Harness(lasting_store)
