"""The fixtures of memory's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.agents.memory.agent import LibraryMemory
from butler.store.open import open_store
from butler.store.store import Store
from tests.agents.memory.memory_library import library
from tests.services.plugin import postgres
from tests.store.fixtures import FILE, store, url

__all__ = ["postgres", "store", "url"]


@pytest.fixture
async def lasting_store(tmp_path: Path) -> AsyncIterator[Store]:
    """A database in a file: what the rows are on others, `test_rows` says."""
    store = open_store(FILE, data_dir=tmp_path)
    yield store
    await store.close()


@pytest.fixture
async def memory(lasting_store: Store, tmp_path: Path) -> AsyncIterator[LibraryMemory]:
    memory = library(lasting_store, tmp_path)
    yield memory
    await memory.stop()
