"""A server for each test."""

from collections.abc import AsyncIterator

import pytest

from tests.modules.livekit.server import Calls, calls


@pytest.fixture
async def on_server() -> AsyncIterator[Calls]:
    async with calls() as opened:
        yield opened
