"""Puts values under names that somebody else chose into words: a point's payload, labels, variables.

Every value is shown whole, in the order of the names, so that a card says the same about the same call.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from butler.contract.speech import say


def named_lines(values: Mapping[str, Any] | Sequence[Any]) -> list[str]:
    """Return a line for each single value, such as `author: Ada`; nested values by their path: `address › city: …`.

    An empty nested value is shown as empty; a list of single values is one line, without a name unless it is in a
    mapping.
    """
    return [f"{name}: {text}" if name else text for name, text in _named(values)] if values else []


def named_facts(values: Mapping[str, Any]) -> tuple[tuple[str, str], ...]:
    """Return the same as the facts of a card."""
    return tuple(_named(values)) if values else ()


def value_text(value: Any) -> str:
    """Return a single value, or a list of such, in words."""
    if value is None:
        return say("nothing")
    if isinstance(value, bool):
        return say("yes") if value else say("no")
    if isinstance(value, str):
        return value or say("empty")
    if isinstance(value, list | tuple):
        return ", ".join(map(value_text, cast("list[Any]", value))) or say("empty")
    return json.dumps(value, ensure_ascii=False)


def _named(value: Any, way: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping) and value:
        for name, inner in sorted(cast("Mapping[str, Any]", value).items()):
            yield from _named(inner, f"{way} › {name}" if way else name)
    elif isinstance(value, list | tuple) and _holds_more(value):
        for number, inner in enumerate(cast("list[Any]", value), start=1):
            yield from _named(inner, f"{way} {number}".strip())
    else:
        yield way, say("empty") if isinstance(value, Mapping) else value_text(value)


def _holds_more(values: Any) -> bool:
    return any(isinstance(one, Mapping | list | tuple) for one in values)
