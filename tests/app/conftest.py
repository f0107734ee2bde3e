"""Households for the tests of the whole daemon, forked from one process that has loaded everything."""

from contextlib import AsyncExitStack

import pytest

from tests.crash.household import Household


@pytest.fixture
async def household(tmp_path, nursery):
    """Opens a household with the arguments of `Household`; it is closed after the test."""
    async with AsyncExitStack() as stack:

        async def opened(**arguments):
            return await stack.enter_async_context(Household(tmp_path, nursery, respawn=False, **arguments))

        yield opened


@pytest.fixture
async def home(household):
    """A household whose daemon runs and whose owner has said hello, so that the bot may write."""
    home = await household()
    home.world.say("/start")
    await home.until(home.bot_messages, "a greeting")
    return home
