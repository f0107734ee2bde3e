"""Reads the tables of patterns."""

import re

from butler.contract.tables import table
from butler.guardrails.patterns import Pattern

_NAME = re.compile(r"\{([a-z_]+)\}")


def patterns_of(name: str) -> tuple[Pattern, ...]:
    """Return a table's patterns in their order, with its word lists inserted for their names."""
    held = table("butler.guardrails.tables", name)
    words: dict[str, list[str]] = held.get("words", {})

    def alternatives(found: re.Match[str]) -> str:
        return f"(?:{'|'.join(_NAME.sub(alternatives, word) for word in words[found.group(1)])})"

    return tuple(
        Pattern(one["kind"], _NAME.sub(alternatives, one["regex"]), one.get("check", "")) for one in held["pattern"]
    )
