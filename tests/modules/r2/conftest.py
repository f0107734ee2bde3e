"""A bucket for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.modules.r2.here import Here, here


@pytest.fixture
async def on() -> AsyncIterator[Here]:
    async with here() as opened:
        yield opened
