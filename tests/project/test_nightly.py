"""Which cases of a test `make test` tries."""

from dataclasses import dataclass, field
from typing import Any, cast

import pytest

from tests.support.nightly import CASES, leave_cases_to_the_night


@dataclass
class Item:
    """Stands for a test that pytest has collected."""

    nodeid: str
    markers: set[str] = field(default_factory=set[str])

    def get_closest_marker(self, name: str) -> object:
        return name if name in self.markers else None

    def add_marker(self, name: str) -> None:
        self.markers.add(name)


def tried(*items: Item) -> list[str]:
    """Return which are left to `make test`."""
    leave_cases_to_the_night(cast("list[pytest.Item]", items))
    return [item.nodeid for item in items if "nightly" not in item.markers]


def cases(of: str, *markers: str) -> list[Item]:
    return [Item(f"{of}[{number}]", set(markers)) for number in range(9)]


def test_of_many_cases_the_same_few_are_tried_in_any_order() -> None:
    found = tried(*cases("a.py::test_a"))
    assert len(found) == CASES
    assert set(tried(*reversed(cases("a.py::test_a")))) == set(found)


@pytest.mark.parametrize("others", [1, 2])
def test_few_cases_are_all_tried(others: int) -> None:
    assert len(tried(*cases("a.py::test_a")[:others])) == others


def test_every_case_is_tried_where_that_is_asked_for() -> None:
    assert len(tried(*cases("a.py::test_a", "every_case"))) == 9


def test_a_test_that_has_chosen_by_itself_keeps_its_choice() -> None:
    chosen: list[Any] = cases("a.py::test_a")
    chosen[0].markers.add("nightly")
    assert len(tried(*chosen)) == 8
