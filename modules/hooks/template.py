"""Texts with placeholders, such as `{a.b.0}`, filled with a webhook's data. There is no logic.

The data are never parsed as a template.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from modules._remote.alerts import clean

PATH = re.compile(r"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)*")
_PLACE = re.compile(r"\{([^{}]*)\}")
MOST_VALUE = 500


@dataclass(frozen=True, slots=True)
class Template:
    """A checked template."""

    parts: tuple[str, ...]
    """Alternating literal texts and paths."""

    def fill(self, data: Any, most: int) -> str:
        """Return the filled text, with as many lines as the template; at most `most` characters."""
        filled = [part if not number % 2 else _shown(at(data, part)) for number, part in enumerate(self.parts)]
        text = "".join(filled).strip()
        return text if len(text) <= most else f"{text[: most - 1]}…"


def template(text: str) -> Template:
    """Check a template; raise `ValueError` that says what is wrong."""
    parts = tuple(_PLACE.split(text))
    for number, part in enumerate(parts):
        if number % 2 and not PATH.fullmatch(part):
            raise ValueError(f"{{{part}}} names no place; write such as {{order.items.0.name}}")
        if not number % 2 and ("{" in part or "}" in part):
            raise ValueError("a { or } stands alone; each { needs its }")
    return Template(parts)


def at(data: Any, path: str) -> Any:
    """Return the value at a path; None if there is none."""
    for name in path.split("."):
        if isinstance(data, Mapping):
            data = cast("Mapping[str, Any]", data).get(name)
        elif isinstance(data, Sequence) and not isinstance(data, str) and name.isdecimal():
            items = cast("Sequence[Any]", data)
            data = items[int(name)] if len(name) <= 6 and int(name) < len(items) else None  # noqa: PLR2004 - no id
        else:
            return None
    return data


def _shown(value: Any) -> str:
    if value is None:
        return ""
    try:
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return ""  # nested so deeply that it can be parsed, but not written
    return clean(text, MOST_VALUE)
