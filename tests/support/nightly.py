"""What `make test` leaves to `make test-all`: what takes long, and proves the same of one case more."""

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import settings

NIGHTLY_EXAMPLES = 100
"""How many examples of a property are tried where it says nothing else."""
CASES = 2
"""How many cases of a test `make test` tries, unless the test is marked `every_case`."""


def leave_cases_to_the_night(items: Iterable[pytest.Item]) -> None:
    """Mark as nightly all but a few cases of each test, unless it has marked some of its cases by itself.

    A case is chosen by the hash of its name: a case that is added changes at most one of the choices, and each of the
    databases, languages and modules that tests vary by is met by many tests.
    """
    cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    for several in cases.values():
        if not any(item.get_closest_marker(chosen) for item in several for chosen in ("every_case", "nightly")):
            for item in sorted(several, key=_chance)[CASES:]:
                item.add_marker("nightly")


def _chance(item: pytest.Item) -> bytes:
    return hashlib.sha256(item.nodeid.encode()).digest()


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
