"""Text and JSON output of commands: counts, lists that fit the terminal, JSON for any terminal."""

import json
import shutil
import sys
import textwrap
from typing import Any

NARROWEST = 20
"""The least width of a list's text, in columns."""


def counted(number: int, one: str, many: str) -> str:
    """Return `1 entry`, `2 entries`."""
    return f"{number} {one if number == 1 else many}"


def hanging(lead: str, text: str) -> str:
    """Return a line of a list. On a narrow terminal, its text wraps below itself, not below `lead`."""
    if not sys.stdout.isatty():
        return f"{lead}{text}"
    width = max(shutil.get_terminal_size().columns, len(lead) + NARROWEST)
    lines = textwrap.wrap(text, width - len(lead), break_on_hyphens=False)
    return lead + f"\n{' ' * len(lead)}".join(lines)


def json_text(value: Any) -> str:
    """Return readable JSON for any terminal: a lone surrogate stays an escape."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode(errors="backslashreplace").decode()
