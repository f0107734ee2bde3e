"""Values of an answer as plain JSON, none of them longer than the settings say."""

import json
import math
from typing import Any, cast


def plain(value: Any, longest: int) -> tuple[Any, bool]:
    """A value as JSON has it, and whether it is all there: longer ones than so many characters are cut."""
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
    """The beginning of a text of so many characters."""
    return f"{beginning}… ({length} characters)"
