"""Prints the results of checks: as a table, or as a list if a table would break words, such as paths."""

import textwrap
from collections.abc import Sequence

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from butler.contract.module import CheckResult

TITLES = ("", "check", "found", "what to do")
GAP = 2
"""Columns of the terminal between two columns of the table."""
Row = tuple[str, str, str, str]


def show(results: Sequence[CheckResult]) -> None:
    """Print the results for people. No word is broken, so that paths and commands can be copied."""
    console = Console(highlight=False)
    rows = [_row(result) for result in results]
    widths = _widths(rows, console.width)
    if widths is None:
        _print_list(console, rows)
        return
    table = Table(box=None, pad_edge=False, padding=(0, GAP, 0, 0), header_style="bold")
    for title, width in zip(TITLES, widths, strict=True):
        table.add_column(title, overflow="fold", width=width)
    for mark, *texts in rows:
        # A server's message is not markup.
        table.add_row(f"[{_style(mark)}]{mark}[/]", *map(escape, texts))
    console.print(table)


def _row(result: CheckResult) -> Row:
    mark = "ok" if result.ok else "not ok"
    if result.ok and not result.in_use:
        mark = "-"
    return mark, result.name[:1].upper() + result.name[1:], result.detail, result.todo


def _style(mark: str) -> str:
    return {"ok": "green", "not ok": "bold red"}.get(mark, "dim")


def _widths(rows: Sequence[Row], total: int) -> tuple[int, int, int, int] | None:
    """Return the widths of the columns, or None if the longest words do not fit side by side."""
    columns = list(zip(TITLES, *rows, strict=True))
    longest_text = [max(map(len, column)) for column in columns]
    longest_word = [max((len(word) for text in column for word in text.split()), default=0) for column in columns]
    mark, name, found, todo = longest_text
    room = total - mark - name - GAP * len(TITLES)
    least_found, least_todo = longest_word[2:]
    if least_found + least_todo > room:
        return None
    if found + todo > room:
        found = min(found, max(least_found, min(room - least_todo, room // 2)))
        todo = min(todo, room - found)
    if todo < least_todo:
        found, todo = room - least_todo, least_todo
    return mark, name, found, todo


def _print_list(console: Console, rows: Sequence[Row]) -> None:
    indent = " " * (max(len(mark) for mark, *_ in rows) + GAP)
    for mark, name, *texts in rows:
        console.print(f"[{_style(mark)}]{mark:{len(indent)}}[/]{escape(name)}", soft_wrap=True)
        for text in filter(None, texts):
            lines = textwrap.wrap(
                text,
                max(console.width, len(indent) + 1),
                initial_indent=indent,
                subsequent_indent=indent,
                break_long_words=False,
                break_on_hyphens=False,
            )
            console.print("\n".join(lines), markup=False, soft_wrap=True)
