"""Lists the signals that a tool knows by name, from its description, which has each title in parentheses."""

import re
from collections.abc import Iterable

from butler.contract.tools import ToolSpec

_BEGINS = "Signals: "
_ONE = re.compile(r"([a-z][a-z0-9_]{0,29}) \((.*?)\)(?=, [a-z][a-z0-9_]{0,29} \(|\.\s|\.?$)(?:, )?")


def titles_of(tool: str, specs: Iterable[ToolSpec]) -> dict[str, str]:
    """Return the names that a tool's argument `signal` may have, with their titles, in the order of the settings."""
    spec = next((spec for spec in specs if spec.tool_name == tool), None)
    _, begins, listed = spec.description.partition(_BEGINS) if spec is not None else ("", "", "")
    found: dict[str, str] = {}
    while begins and (one := _ONE.match(listed)) is not None:
        found.setdefault(one[1], one[2])
        listed = listed[one.end() :]
    return found


def names_of(tool: str, specs: Iterable[ToolSpec]) -> tuple[str, ...]:
    """Return the names alone; empty if the tool has no signals."""
    return tuple(titles_of(tool, specs))
