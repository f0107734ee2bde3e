"""A measured line is compared with its own past and its limit: what is unusual, and since when."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from butler.contract.signals import Bounds
from modules._signals.diagnosis import Point, points_of, read

BEGIN = datetime(2026, 3, 6, 18, tzinfo=UTC)
CPU = Bounds(limit=90, floor=10)


def line(*values: float, step: int = 5) -> list[Point]:
    return [(BEGIN + timedelta(minutes=step * n), value) for n, value in enumerate(values)]


def at(number: int) -> datetime:
    return BEGIN + timedelta(minutes=5 * number)


def test_a_rise_is_told_with_its_beginning_and_what_was_usual() -> None:
    found = read(line(*[12, 11, 13, 12] * 10, *[97, 96, 98] * 4), CPU)
    assert found is not None
    assert (found.now, found.usual, found.since, found.is_bad) == (97, 12, at(40), True)


def test_noise_is_nothing_unusual() -> None:
    found = read(line(*[12, 19, 8, 15, 21, 9, 14, 12] * 5), CPU)
    assert found is not None
    assert (found.is_unusual, found.since) == (False, None)


def test_a_single_dip_does_not_move_the_beginning() -> None:
    found = read(line(*[12] * 20, *[97] * 5, 14, *[97] * 5), CPU)
    assert found is not None
    assert found.since == at(20)


def test_two_dips_in_a_row_do() -> None:
    found = read(line(*[12] * 20, *[97] * 5, 14, 14, *[97] * 5), CPU)
    assert found is not None
    assert found.since == at(27)


def test_what_was_bad_all_along_has_no_usual_value() -> None:
    found = read(line(*[96] * 30), Bounds(limit=90, floor=5))
    assert found is not None
    assert (found.now, found.usual, found.all_along, found.is_bad) == (96, None, True, True)


def test_what_crept_beyond_its_limit_has_a_beginning() -> None:
    found = read(line(*[80 + n / 3 for n in range(36)]), Bounds(limit=90, floor=50))
    assert found is not None
    assert (found.since, found.all_along) == (at(30), False)


def test_a_rise_that_is_over_is_nothing_unusual() -> None:
    found = read(line(*[12] * 20, *[97] * 5, *[12] * 15), CPU)
    assert found is not None
    assert not found.is_unusual


def test_free_memory_is_bad_where_it_is_low() -> None:
    free = Bounds(limit=0.5, floor=0.5, falls=True)
    found = read(line(*[4.0] * 20, *[0.3] * 10), free)
    assert found is not None
    assert (found.is_bad, found.since) == (True, at(20))
    risen = read(line(*[4.0] * 20, *[9.0] * 10), free)
    assert risen is not None
    assert not risen.is_unusual


def test_of_a_line_that_nobody_knows_a_fall_is_told_as_well() -> None:
    found = read(line(*[100.0] * 20, *[3.0] * 8), Bounds(either=True))
    assert found is not None
    assert (found.now, found.usual, found.since) == (3, 100, at(20))


@pytest.mark.parametrize(("count", "now"), [(1, 97.0), (7, 97.0)])
def test_a_few_points_have_a_value_and_no_past(count: int, now: float) -> None:
    found = read(line(*[now] * count), CPU)
    assert found is not None
    assert (found.now, found.usual, found.since, found.is_bad) == (97, None, None, True)


def test_no_points_are_no_reading() -> None:
    assert read([], CPU) is None


@pytest.mark.parametrize(
    "points",
    [None, "x", 5, [5], [[]], [["2026-03-06T18:00:00Z"]], [["soon", 4]], [["2026-03-06T18:00:00", 4]], [[None, None]],
     [["2026-03-06T18:00:00Z", None]], [["2026-03-06T18:00:00Z", "NaN"]], [{"at": 5}]],
)  # fmt: skip
def test_what_is_no_point_is_left_out(points: Any) -> None:
    assert points_of({"points": points}) == []


def test_points_come_in_order() -> None:
    given = [["2026-03-06T19:00:00Z", "2"], ["2026-03-06T18:00:00+00:00", 1]]
    assert [value for _, value in points_of({"points": given})] == [1, 2]


@given(st.lists(st.floats(-1e12, 1e12), max_size=60), st.booleans(), st.booleans())
def test_a_beginning_is_always_one_of_the_points(values: list[float], falls: bool, either: bool) -> None:
    points = line(*values)
    found = read(points, Bounds(limit=50, floor=1, falls=falls, either=either))
    assert (found is None) == (not points)
    if found is not None and found.since is not None:
        assert found.since in {moment for moment, _ in points}
