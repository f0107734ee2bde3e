"""What `make test` leaves to `make test-all`: what takes long, and proves the same of one case more."""

from collections.abc import Sequence
from typing import Any

import pytest


def all_but_the_first(cases: Sequence[Any]) -> list[Any]:
    """The cases of a test, of which only the first is for `make test`."""
    first, *others = cases
    return [first, *(pytest.param(other, marks=pytest.mark.nightly) for other in others)]
