"""Tables as Markdown."""

from collections.abc import Sequence

from butler.agents.parser.blocks import Row

_LONGEST_CELL = 2_000
"""Characters; a longer cell is a text that found itself in a table."""


def table_lines(rows: Sequence[Row]) -> list[str]:
    """The header with the line under it, then a line for each row; rows of unequal length are filled up."""
    width = max(len(row) for row in rows)
    lines = [_line([*row, *[""] * (width - len(row))]) for row in rows]
    return [f"{lines[0]}\n|{'---|' * width}", *lines[1:]]


def table_text(rows: Sequence[Row]) -> str:
    """The whole table."""
    return "\n".join(table_lines(rows))


def _line(cells: Sequence[str]) -> str:
    return "|" + "|".join(f" {_cell(cell)} " for cell in cells) + "|"


def _cell(text: str) -> str:
    plain = " ".join(text.split())
    if len(plain) > _LONGEST_CELL:
        plain = plain[:_LONGEST_CELL] + " …"
    return plain.replace("|", "\\|")
