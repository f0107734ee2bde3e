"""Renders rows of a database as a table, cut to what a chat can show."""

from collections.abc import Mapping
from typing import Any

from butler.contract.card import Rich, Span, Style
from butler.contract.found_items import mapping
from butler.contract.shown_text import cut
from butler.contract.speech import say, say_many
from modules._remote.found_text import incomplete, listed

MOST_ROWS, MOST_COLUMNS, WIDEST = 20, 6, 24


def rows_text(data: Mapping[str, Any]) -> Rich:
    """Return the first rows and columns, and the number of further ones."""
    columns = [str(mapping(one).get("name") or "") for one in listed(data.get("columns"))]
    rows = [listed(row) for row in listed(data.get("rows"))]
    if not rows:
        return (Span(text=say("No row fits.")),)
    shown = [columns[:MOST_COLUMNS], *(row[:MOST_COLUMNS] for row in rows[:MOST_ROWS])]
    cells = [[cut(_cell(value), WIDEST) for value in row] for row in shown]
    widths = [max(len(row[n]) for row in cells if n < len(row)) for n in range(len(cells[0]))]
    lines = ["  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip() for row in cells]
    rule = "  ".join("─" * width for width in widths)
    spans = [Span(text="\n".join([lines[0], rule, *lines[1:]]), style=Style.PRE)]
    if (left := len(rows) - MOST_ROWS) > 0:
        spans.append(Span(text="\n" + say_many(left, "And 1 more row.", "And {count} more rows.")))
    if (hidden := len(columns) - MOST_COLUMNS) > 0:
        spans.append(Span(text="\n" + say_many(hidden, "1 column is not shown.", "{count} columns are not shown.")))
    return (*spans, *incomplete(data))


def _cell(value: Any) -> str:
    if value is None:
        return "–"
    return str(value)[: WIDEST * 4]
