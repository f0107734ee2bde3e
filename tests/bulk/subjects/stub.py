"""The adapter of these tests."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from tests.bulk.stub_provider import StubBulkAdapter, StubProvider
from tests.bulk.subject import Subject


@asynccontextmanager
async def subject() -> AsyncIterator[Subject]:
    adapter = StubBulkAdapter(StubProvider({f"t{at:05}": at < 5 for at in range(12)}))
    yield Subject(adapter, {"action": "away"}, {"action": "away"}, ({}, {"action": ""}), "t99999", {})
