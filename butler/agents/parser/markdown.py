"""Tables as Markdown."""

from collections.abc import Sequence

from butler.agents.parser.blocks import Row

_LONGEST_CELL = 2_000
"""Characters; a longer cell is running text in a table."""
_MOST_FILLED = 400_000
"""The most cells of a table whose rows are padded; one long row among many short ones would make it huge."""


def table_lines(rows: Sequence[Row]) -> list[str]:
    """Return the header with the line under it, then a line for each row; pad short rows, except in a huge table."""
    width = max(len(row) for row in rows)
    filled = width if width * len(rows) <= _MOST_FILLED else 0
    lines = [_line([*row, *[""] * (filled - len(row))]) for row in rows]
    return [f"{lines[0]}\n|{'---|' * max(filled, len(rows[0]))}", *lines[1:]]


def _line(cells: Sequence[str]) -> str:
    return "|" + "|".join(f" {_cell(cell)} " for cell in cells) + "|"


def _cell(text: str) -> str:
    plain = " ".join(text[: 2 * _LONGEST_CELL].split())
    if len(plain) > _LONGEST_CELL or len(text) > 2 * _LONGEST_CELL:
        plain = plain[:_LONGEST_CELL] + " …"
    return plain.replace("|", "\\|")
