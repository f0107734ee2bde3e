"""Processes that fork daemons, shared by all of these tests, because loading everything takes each of them seconds."""

import pytest

from tests.crash.household import Nursery

SIDE_BY_SIDE = 4


@pytest.fixture(scope="session")
def nurseries():
    nurseries = [Nursery() for _ in range(SIDE_BY_SIDE)]
    yield nurseries
    for nursery in nurseries:
        nursery.close()
