"""The person's calendar on its stand-in."""

from collections.abc import AsyncIterator

import pytest

from tests.modules.calendar.calendar_account import Account, calendar_account


@pytest.fixture
async def me() -> AsyncIterator[Account]:
    async with calendar_account() as account:
        yield account
