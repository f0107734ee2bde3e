"""One real Prometheus with a history for all tests here, and the module on it."""

from collections.abc import AsyncGenerator, Iterator

import pytest

from tests.modules.prometheus.history import History
from tests.modules.prometheus.house import House, house_on
from tests.services.prometheus import Prometheus


@pytest.fixture(scope="session")
def history() -> History:
    return History.until_now()


@pytest.fixture(scope="session")
def prometheus(history: History) -> Iterator[Prometheus]:
    server = Prometheus(history.samples(), guarded=True)
    yield server
    server.stop()


@pytest.fixture
async def house(prometheus: Prometheus, history: History) -> AsyncGenerator[House]:
    async with house_on(prometheus.url, history.now) as there:
        yield there
