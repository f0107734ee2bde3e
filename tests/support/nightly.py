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
    return [first, *map(_at_night, others)]


def every_nth(cases: Sequence[Any], step: int) -> list[Any]:
    """The cases of a test, of which `make test` tries the first and every `step`-th after it."""
    return [_at_night(case) if at % step else case for at, case in enumerate(cases)]


def _at_night(case: Any) -> Any:
    if isinstance(case, type(pytest.param())):
        return pytest.param(*case.values, marks=[*case.marks, pytest.mark.nightly], id=case.id)
    return pytest.param(case, marks=pytest.mark.nightly)


def examples(nightly: int) -> int:
    """How many examples to try of a property that is given `nightly` of them at night."""
    return max(3, nightly * settings().max_examples // NIGHTLY_EXAMPLES)
