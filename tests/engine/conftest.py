"""The fixtures of the engine's tests: the store's, and a clock that is turned by hand."""

import pytest

from tests.engine.clock import HandClock
from tests.services.plugin import postgres
from tests.store.fixtures import lasting_store, lasting_url, store, url

__all__ = ["clock", "lasting_store", "lasting_url", "postgres", "store", "url"]


@pytest.fixture
def clock() -> HandClock:
    return HandClock()
