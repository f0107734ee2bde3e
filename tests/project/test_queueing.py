"""The order in which the suite is worked off."""

import pytest

from tests.support.queueing import deal


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_each_worker_begins_with_its_part_of_the_longest_tests(workers: int) -> None:
    items = [*range(10), "a", *range(10, 90), "b", "c", *range(90, 100), "d"]

    dealt = deal(items, lambda item: isinstance(item, str), workers)

    assert sorted(map(str, dealt)) == sorted(map(str, items)), "none is lost"
    at = 0
    for worker in range(workers):
        long = ["a", "b", "c", "d"][worker::workers]
        assert dealt[at : at + len(long)] == long
        at += (len(items) - at) // (workers - worker)


def test_a_suite_of_long_tests_alone_loses_none_of_them() -> None:
    assert sorted(deal(["a", "b", "c"], lambda _: True, 2)) == ["a", "b", "c"]
