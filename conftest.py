"""For every test: the servers that the suite starts and stops by itself, and the order in which it is worked off."""

import gc
import os
import sys
from collections.abc import Generator, Iterator
from typing import Any

import pytest
import structlog
from hypothesis import HealthCheck, settings

from butler.contract.speech import speak
from config.language import OwnerLanguage
from tests.support.nightly import NIGHTLY_EXAMPLES, leave_cases_to_the_night
from tests.support.queueing import deal

pytest_plugins = ["tests.services.plugin", "tests.crash.plugin"]

# Rewriting the assertions of all test files takes a third of a collection, and a daemon compiles what it imports:
# compiled files are kept, whatever the environment says.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# How long an example takes says how busy the machine is, and nothing about Butler.
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
settings.register_profile("nightly", max_examples=NIGHTLY_EXAMPLES, deadline=None, suppress_health_check=SLOW)
settings.register_profile("ci", max_examples=NIGHTLY_EXAMPLES // 4, deadline=None, suppress_health_check=SLOW)
settings.load_profile("nightly")


def pytest_configure(config: pytest.Config) -> None:
    """Without the nightly tests, properties are tried with fewer examples too; `--hypothesis-profile` overrides it."""
    if not config.getoption("--hypothesis-profile") and "not nightly" in config.getoption("markexpr"):
        settings.load_profile("ci")


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None]:
    """Choose the cases that `make test` tries, and put the longest tests first in each worker's share.

    The longest are those that were given a time of their own; so none of them is left over at the end. It is done after
    pytest-randomly has shuffled, and alike in each worker, as pytest-xdist wants it.
    """
    leave_cases_to_the_night(items)
    yield
    workers: int = getattr(config, "workerinput", {}).get("workercount", 1)
    items[:] = deal(items, lambda item: item.get_closest_marker("timeout") is not None, workers)


def pytest_collection_finish() -> None:
    """Leave a million objects of the collection out of each later search for garbage: it took a fifth of the time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True)
def english_again() -> Iterator[None]:
    """One process speaks one language; a test that speaks another leaves English behind."""
    yield
    speak(OwnerLanguage.ENGLISH)


@pytest.fixture(autouse=True)
def logging_again() -> Iterator[None]:
    """How a test sets up the log ends with it, and no logger keeps it: who captures the log sees all of it."""
    before, configure = structlog.get_config(), structlog.configure

    def uncached(**options: Any) -> None:
        configure(**options | {"cache_logger_on_first_use": False})

    structlog.configure = uncached
    yield
    structlog.configure = configure
    configure(**before)
