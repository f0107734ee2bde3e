"""Text and JSON that commands print: counts, lists that fit the terminal, JSON for any terminal."""

import json
import shutil
import sys
import textwrap
from typing import Any

NARROWEST = 20
"""Columns that the text of a list gets at least."""


def counted(number: int, one: str, many: str) -> str:
    """`1 entry`, `2 entries`."""
    return f"{number} {one if number == 1 else many}"


def hanging(lead: str, text: str) -> str:
    """A line of a list. On a terminal that is too narrow for it, its text goes on below itself, not below `lead`."""
    if not sys.stdout.isatty():
        return f"{lead}{text}"
    width = max(shutil.get_terminal_size().columns, len(lead) + NARROWEST)
    lines = textwrap.wrap(text, width - len(lead), break_on_hyphens=False)
    return lead + f"\n{' ' * len(lead)}".join(lines)


def json_text(value: Any) -> str:
    """JSON for a person's eyes and a program's, on any terminal: half of a surrogate pair stays an escape."""
    return json.dumps(value, indent=2, ensure_ascii=False).encode(errors="backslashreplace").decode()
