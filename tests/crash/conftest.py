"""What these tests share: processes that fork daemons, and their place at the head of every worker's queue."""

import pytest

from tests.crash.household import Nursery
from tests.crash.queueing import deal

SIDE_BY_SIDE = 4


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    """The longest tests come first in each worker's share, so that none is left over at the end.

    After pytest-randomly has shuffled, and alike in each worker, as pytest-xdist wants it.
    """
    workers = getattr(config, "workerinput", {}).get("workercount", 1)
    items[:] = deal(items, lambda item: item.get_closest_marker("crash") is not None, workers)


@pytest.fixture(scope="session")
def nurseries():
    nurseries = [Nursery() for _ in range(SIDE_BY_SIDE)]
    yield nurseries
    for nursery in nurseries:
        nursery.close()
