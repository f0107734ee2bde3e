"""Converts conditions on payloads to Qdrant's filters."""

from collections.abc import Sequence
from typing import Any

from modules._remote.conditions import Condition, Op

NEGATED = frozenset({Op.NE, Op.NOT_IN})


def filter_of(conditions: Sequence[Condition]) -> dict[str, Any] | None:
    """Return Qdrant's filter as JSON: all conditions must hold. None for no conditions."""
    must = [_field(one) for one in conditions if one.op not in NEGATED]
    must_not = [_field(one) for one in conditions if one.op in NEGATED]
    both = {"must": must, "must_not": must_not}
    return {name: part for name, part in both.items() if part} or None


def _field(condition: Condition) -> dict[str, Any]:
    value = condition.value
    match condition.op:
        case Op.IN | Op.NOT_IN:
            return {"key": condition.field, "match": {"any": list(value) if isinstance(value, tuple) else [value]}}
        case Op.EQ | Op.NE if isinstance(value, float):
            # Qdrant matches texts, booleans and whole numbers only.
            return {"key": condition.field, "range": {"gte": value, "lte": value}}
        case Op.EQ | Op.NE:
            return {"key": condition.field, "match": {"value": value}}
        case order:
            return {"key": condition.field, "range": {order.value: value}}
