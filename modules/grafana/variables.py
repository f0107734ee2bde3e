"""Puts a dashboard's variables into its queries the way Grafana's own page does.

Names that begin with two underscores, such as `$__interval`, are left to Grafana's server.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from modules.grafana.wire import Variable

ALL = "$__all"
_USE = re.compile(r"\$(?P<bare>\w+)|\$\{(?P<braced>\w+)(?::(?P<how>\w+))?\}|\[\[(?P<old>\w+)(?::(?P<old_how>\w+))?\]\]")
_SIGNS = re.compile(r"[\\^$*+?.()|\[\]{}]")
_ESCAPED_TWICE = frozenset({"prometheus", "loki"})
"""Data sources whose patterns are quoted, where a backslash is doubled."""
_FORMS: Mapping[str, Callable[[Sequence[str]], str]] = {
    "csv": ",".join,
    "raw": ",".join,
    "pipe": "|".join,
    "singlequote": lambda values: ",".join("'" + text.replace("'", "\\'") + "'" for text in values),
    "doublequote": lambda values: ",".join('"' + text.replace('"', '\\"') + '"' for text in values),
    "json": json.dumps,
}
"""The formats that a query may request, as in `${host:csv}`."""


@dataclass(frozen=True, slots=True)
class Value:
    """A variable's value; `several` if it is written as a pattern, even if it is a single value now."""

    values: tuple[str, ...]
    several: bool = False
    pattern: str = ""
    """The author's own text for "all", inserted unchanged."""


def values_of(variables: Sequence[Variable], chosen: Mapping[str, str]) -> dict[str, Value]:
    """Return each variable's value: the chosen one, or the stored one."""
    found: dict[str, Value] = {}
    for one in variables:
        stored = _texts(one.current.get("value"))
        if one.name in chosen:
            found[one.name] = Value((chosen[one.name],), several=one.multi or one.includeAll)
        elif ALL in stored:
            options = (text for option in one.options for text in _texts(option.get("value")))
            found[one.name] = Value(tuple(text for text in options if text != ALL), True, one.allValue)
        elif stored:
            found[one.name] = Value(stored, several=one.multi or one.includeAll)
    return found


def put_in(value: Any, variables: Mapping[str, Value], source_type: str) -> Any:
    """Return the JSON with all known variables in its texts replaced."""
    if isinstance(value, str):
        return _USE.sub(lambda use: _replaced(use, variables, source_type), value)
    if isinstance(value, list):
        return [put_in(one, variables, source_type) for one in cast("list[Any]", value)]
    if isinstance(value, dict):
        return {name: put_in(one, variables, source_type) for name, one in cast("dict[str, Any]", value).items()}
    return value


def _replaced(use: re.Match[str], variables: Mapping[str, Value], source_type: str) -> str:
    name = use["bare"] or use["braced"] or use["old"]
    value = variables.get(name)
    return use[0] if value is None else _written(value, use["how"] or use["old_how"] or "", source_type)


def _written(value: Value, how: str, source_type: str) -> str:
    if value.pattern:
        return value.pattern
    if how in _FORMS:
        return _FORMS[how](value.values)
    return _as_pattern(value, source_type) if how == "regex" or value.several else ",".join(value.values)


def _as_pattern(value: Value, source_type: str) -> str:
    if not value.values:
        return ".*"
    escape = "\\" * (2 if source_type in _ESCAPED_TWICE else 1)
    parts = [_SIGNS.sub(lambda sign: escape + sign[0], text) for text in value.values]
    return parts[0] if len(parts) == 1 else f"({'|'.join(parts)})"


def _texts(value: Any) -> tuple[str, ...]:
    if value is None:
        return ()
    if isinstance(value, list):
        return tuple(str(one) for one in cast("list[Any]", value))
    return (str(value),)
