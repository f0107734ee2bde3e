"""Processes that fork daemons, shared by all of these tests, because loading everything takes each of them seconds."""

import pytest


@pytest.fixture(scope="session")
def nurseries(nursery, second_nursery):
    """Two, so that one daemon can start while another one waits."""
    return [nursery, second_nursery]
