"""The router, and the scores of the evaluation sets with it, once a session: both take their time."""

import asyncio
from collections.abc import Callable, Sequence
from functools import cache

import pytest

from bench.understanding import Score, requests, scored
from butler.agents.embedding.e5 import MultilingualE5
from butler.orchestrator.embedded.router import Router

Scores = Callable[[str], Sequence[Score]]
"""The scores of a language, by its two letters."""


@pytest.fixture(scope="session")
def router() -> Router:
    """As the product has it."""
    return Router(MultilingualE5())


@pytest.fixture(scope="session")
def scores(router: Router) -> Scores:
    """Each set is asked when it is first looked at."""

    @cache
    def of(language: str) -> Sequence[Score]:
        return asyncio.run(scored(requests(language), router, timed=False))

    return of
