"""Which signals a tool knows by name: its description lists them, each with its title in parentheses."""

import re
from collections.abc import Iterable

from butler.contract.tools import ToolSpec

_LISTED = re.compile(r"(?:Signals: |\), )([a-z][a-z0-9_]{0,29}) \(")


def names_of(tool: str, specs: Iterable[ToolSpec]) -> tuple[str, ...]:
    """The names that a tool's argument `signal` may have, in the order of the settings; none where there are none."""
    spec = next((spec for spec in specs if spec.tool_name == tool), None)
    listed = spec.description[spec.description.find("Signals: ") :] if spec and "Signals: " in spec.description else ""
    return tuple(dict.fromkeys(_LISTED.findall(listed)))
