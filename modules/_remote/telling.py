"""What a planner is told of arguments whose schema a contract has frozen.

A tool takes a subclass of the operation's arguments, which accepts exactly the same and tells more of it; so the
contract's own schema stays as it was locked.
"""

from collections.abc import Callable
from typing import Any


def telling(**arguments: tuple[str, Any]) -> Callable[[dict[str, Any]], None]:
    """Return a `json_schema_extra` that gives each of these arguments its description and one example."""

    def tell(schema: dict[str, Any]) -> None:
        for name, (description, example) in arguments.items():
            schema["properties"][name] |= {"description": description, "examples": [example]}

    return tell
