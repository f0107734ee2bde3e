"""The fixtures of the bulk controller's tests."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from butler.store.open import open_store
from butler.store.store import Store


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = open_store("sqlite://", data_dir=tmp_path)
    yield store
    await store.close()
