"""A site for each test that asks for one."""

from collections.abc import AsyncIterator

import pytest

from tests.agents.connector.site import Site, site


@pytest.fixture(name="site")
async def running_site() -> AsyncIterator[Site]:
    async with site() as running:
        yield running
