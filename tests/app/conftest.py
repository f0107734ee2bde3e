"""Households for the tests of the whole daemon, forked from one process that has loaded everything."""

from contextlib import AsyncExitStack

import pytest

from tests.crash.daemon_harness import DaemonHarness


@pytest.fixture
async def harness(tmp_path, nursery):
    """Opens a harness with the arguments of `DaemonHarness`; it is closed after the test."""
    async with AsyncExitStack() as stack:

        async def opened(**arguments):
            return await stack.enter_async_context(DaemonHarness(tmp_path, nursery, respawn=False, **arguments))

        yield opened


@pytest.fixture
async def home(harness):
    """A harness whose daemon runs and whose owner has said hello, so that the bot may write."""
    home = await harness()
    home.world.say("/start")
    await home.until(home.bot_messages, "a greeting")
    return home
