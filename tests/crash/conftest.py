"""Processes that fork daemons, shared by all of these tests, because loading everything takes each of them seconds."""

import pytest

from tests.crash.household import Nursery


@pytest.fixture(scope="session")
def nurseries(nursery):
    """Two, so that one daemon can start while another one waits."""
    second = Nursery()
    yield [nursery, second]
    second.close()
