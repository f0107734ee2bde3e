"""A time that a step found is moved exactly as a plan says, and what is no time is refused."""

from typing import Any

import pytest

from butler.contract.errors import Refuse
from butler.orchestrator.execution.time_offsets import moved_moment


@pytest.mark.parametrize(
    ("found", "by", "expected"),
    [
        ("2026-03-06T15:00", {"at": "16:00"}, "2026-03-06T16:00"),
        ("2026-03-06T15:00", {"on": "2026-03-09"}, "2026-03-09T15:00"),
        ("2026-03-06T15:00:00+01:00", {"minutes": 30}, "2026-03-06T15:30"),
        ("2026-03-06T23:45", {"minutes": 30}, "2026-03-07T00:15"),
        ("2026-03-06", {"on": "2026-03-09"}, "2026-03-09"),
        ("2026-03-06", {"at": "10:00"}, "2026-03-06T10:00"),
        ("2026-02-28", {"days": 1}, "2026-03-01"),
        ("2026-03-29T01:30", {"minutes": 60}, "2026-03-29T02:30"),
    ],
)
def test_a_time_is_moved(found: str, by: dict[str, Any], expected: str) -> None:
    assert moved_moment(found, by) == expected


@pytest.mark.parametrize(
    ("found", "by"),
    [
        ("Meeting", {"days": 1}),
        (None, {"days": 1}),
        ("2026-03-06", {"at": "25:00"}),
        ("2026-03-06", {"on": "Friday"}),
        ("9999-12-31", {"days": 1}),
        ("2026-03-06", {"days": "x"}),
    ],
)
def test_what_is_no_time_is_refused(found: object, by: dict[str, Any]) -> None:
    with pytest.raises(Refuse):
        moved_moment(found, by)
