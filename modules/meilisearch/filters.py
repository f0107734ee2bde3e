"""Converts conditions on documents to Meilisearch's filter language."""

from collections.abc import Sequence
from decimal import Decimal

from modules._remote.conditions import Condition, Op

_SIGNS = {Op.EQ: "=", Op.NE: "!=", Op.LT: "<", Op.LTE: "<=", Op.GT: ">", Op.GTE: ">="}


def filter_of(conditions: Sequence[Condition]) -> list[str] | None:
    """Return one expression per condition; all of them must hold. None for no conditions."""
    return [_expression(one) for one in conditions] or None


def _expression(condition: Condition) -> str:
    field, value = _quoted(condition.field), condition.value
    if isinstance(value, tuple):
        several = ", ".join(map(_value, value))
        return f"{field} {'IN' if condition.op is Op.IN else 'NOT IN'} [{several}]"
    return f"{field} {_SIGNS[condition.op]} {_value(value)}"


def _value(value: bool | float | str) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case int() | float():
            # The language has no exponents.
            return format(Decimal(repr(value)), "f")
        case _:
            return _quoted(value)


def _quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
