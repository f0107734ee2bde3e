"""Reads the tables of patterns."""

import re
import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Any

from butler.guardrails.patterns import Pattern

_NAME = re.compile(r"\{([a-z_]+)\}")


@lru_cache(maxsize=8)
def table(name: str) -> dict[str, Any]:
    """Return the contents of a table."""
    return tomllib.loads((files("butler.guardrails") / "tables" / f"{name}.toml").read_text(encoding="utf-8"))


def patterns_of(name: str) -> tuple[Pattern, ...]:
    """Return a table's patterns in their order, with its word lists inserted for their names."""
    held = table(name)
    words: dict[str, list[str]] = held.get("words", {})

    def alternatives(found: re.Match[str]) -> str:
        return f"(?:{'|'.join(_NAME.sub(alternatives, word) for word in words[found.group(1)])})"

    return tuple(
        Pattern(one["kind"], _NAME.sub(alternatives, one["regex"]), one.get("check", "")) for one in held["pattern"]
    )
