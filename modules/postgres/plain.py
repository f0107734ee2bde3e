"""Converts the values of an answer to plain JSON of limited length."""

import json
import math
from typing import Any, cast


def plain(value: Any, longest: int) -> tuple[Any, bool]:
    """Return a value as JSON, cut to `longest` characters, and whether it is complete."""
    match value:
        case None | bool() | int():
            return value, True
        case float():
            return (value if math.isfinite(value) else str(value)), True
        case str():
            return (value, True) if len(value) <= longest else (shortened(value[:longest], len(value)), False)
        case _:
            inner = _inner(value)
            text = json.dumps(inner, ensure_ascii=False)
            return (inner, True) if len(text) <= longest else (shortened(text[:longest], len(text)), False)


def _inner(value: Any) -> Any:
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            return value if math.isfinite(value) else str(value)
        case dict():
            return {str(key): _inner(one) for key, one in cast("dict[Any, Any]", value).items()}
        case list() | tuple():
            return [_inner(one) for one in cast("list[Any]", value)]
        case _:
            return str(value)


def shortened(beginning: str, length: int) -> str:
    """Return the beginning of a text, with a note of its full length."""
    return f"{beginning}… ({length} characters)"
