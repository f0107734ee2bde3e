"""A bucket for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.modules.r2.harness import Harness, here


@pytest.fixture
async def on() -> AsyncIterator[Harness]:
    async with here() as opened:
        yield opened
