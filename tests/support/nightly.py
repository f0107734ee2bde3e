"""What `make test` leaves to `make test-all`: what takes long, and proves the same of one case more."""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import settings

NIGHTLY_EXAMPLES = 100
"""How many examples of a property are tried where it says nothing else."""


def all_but_the_first(cases: Sequence[Any]) -> list[Any]:
    """The cases of a test, of which only the first is for `make test`."""
    first, *others = cases
    return [first, *(pytest.param(other, marks=pytest.mark.nightly) for other in others)]


def every_nth(cases: Sequence[Any], step: int) -> list[Any]:
    """The cases of a test, of which `make test` tries the first and every `step`-th after it."""
    nightly = pytest.mark.nightly
    return [case if not at % step else pytest.param(case, marks=nightly) for at, case in enumerate(cases)]


def examples(nightly: int) -> int:
    """How many examples to try of a property that is given `nightly` of them at night."""
    return max(3, nightly * settings().max_examples // NIGHTLY_EXAMPLES)
