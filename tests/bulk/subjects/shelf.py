"""The adapter of these tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.bulk.shelf import Shelf, ShelfAdapter
from tests.bulk.subject import Subject


@asynccontextmanager
async def subject() -> AsyncIterator[Subject]:
    adapter = ShelfAdapter(Shelf({f"t{at:05}": at < 5 for at in range(12)}))
    yield Subject(adapter, {"action": "away"}, {"action": "away"}, ({}, {"action": ""}), "t99999", {})
