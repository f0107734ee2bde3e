"""The process that forks daemons, one for all tests of a worker: loading everything takes it seconds."""

from collections.abc import Iterator

import pytest

from tests.crash.daemon_harness import Nursery


@pytest.fixture(scope="session")
def nursery() -> Iterator[Nursery]:
    """It is started by the first test that has a daemon forked."""
    nursery = Nursery()
    yield nursery
    nursery.close()


@pytest.fixture(scope="session")
def second_nursery() -> Iterator[Nursery]:
    """For a second daemon at the same time."""
    nursery = Nursery()
    yield nursery
    nursery.close()
