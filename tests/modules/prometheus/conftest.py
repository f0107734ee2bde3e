"""One real Prometheus with a history for all tests here, and the module on it."""

from collections.abc import AsyncGenerator, Iterator

import pytest

from tests.modules.prometheus.harness import Harness, harness_on
from tests.modules.prometheus.history import History
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
async def harness(prometheus: Prometheus, history: History) -> AsyncGenerator[Harness]:
    async with harness_on(prometheus.url, history.now) as there:
        yield there
