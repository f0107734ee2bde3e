"""Conditions on fields say what can be compared, and refuse what no server could mean."""

from typing import Any

import pytest
from pydantic import ValidationError

from modules._remote.conditions import Condition, Op


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ({"value": "May"}, "May"),
        ({"value": True}, True),
        ({"value": 7}, 7),
        ({"op": "gte", "value": 2.5}, 2.5),
        ({"op": "lt", "value": "2026-11-28T09:00:00Z"}, "2026-11-28T09:00:00Z"),
        ({"op": "in", "value": [1, 2]}, (1, 2)),
        ({"op": "not_in", "value": ["a"]}, ("a",)),
    ],
)
def test_what_can_be_compared(said: dict[str, Any], value: object) -> None:
    made = Condition.model_validate({"field": "address.city"} | said)
    assert (made.op, made.value) == (Op(said.get("op", "eq")), value)


@pytest.mark.parametrize(
    "said",
    [
        {"op": "eq", "value": ["a"]},
        {"op": "in", "value": "a"},
        {"op": "in", "value": []},
        {"op": "in", "value": list(range(101))},
        {"op": "in", "value": [1, "a"]},
        {"op": "lt", "value": "soon"},
        {"op": "lt", "value": "2026-11-28T09:00:00"},
        {"op": "gt", "value": True},
        {"op": "like", "value": "a"},
        {"value": float("nan")},
        {"value": {"$ne": 1}},
        {"field": "", "value": 1},
        {"value": 1, "raw": "x"},
    ],
)
def test_what_cannot(said: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Condition.model_validate({"field": "year"} | said)
