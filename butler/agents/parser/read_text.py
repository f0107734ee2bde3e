"""Reads plain text, Markdown and tables of comma-separated values."""

import csv
import re

from butler.agents.parser.blocks import Block, Document, Kind
from butler.agents.parser.charset import decoded
from butler.contract.speech import say, say_number

_LONGEST = 20_000_000
"""Characters."""
_MOST_CELLS = 200_000
_MOST_COLUMNS = 500
_SAMPLE = 16_384
_DELIMITERS = ",;\t|"
_PARAGRAPHS = re.compile(r"\n[ \t]*\n+")
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*\s*$")
_ITEM = re.compile(r"\s*(?:[-*+]|\d{1,9}[.)])\s+")
_RULE = re.compile(r"\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?)?\s*$")
_FENCE = re.compile(r"\s*(```|~~~)")
_LONGEST_MARK = 1_000
"""Characters of a line that are checked for a heading or part of a table."""
_CELL_END = re.compile(r"(?<!\\)\|")


def read_txt(data: bytes, document: Document) -> None:
    """Add the paragraphs of a plain text. Raises `UnreadableError`."""
    text = _clipped(decoded(data, document), document)
    for paragraph in _PARAGRAPHS.split(text):
        document.add(Kind.TEXT, paragraph)


def _clipped(text: str, document: Document) -> str:
    if len(text) > _LONGEST:
        document.problem(say("It is very long: only its beginning was read."))
    return text[:_LONGEST]


def read_csv(data: bytes, document: Document) -> None:
    """Add a table. Raises `UnreadableError`."""
    text = _clipped(decoded(data, document), document)
    rows: list[list[str]] = []
    cells = 0
    csv.field_size_limit(_LONGEST)
    try:
        for row in csv.reader(text.splitlines(keepends=True), _dialect(text)):
            cells += len(row)
            if cells > _MOST_CELLS:
                number = say_number(_MOST_CELLS)
                document.problem(say("It is very large: only its first {number} cells were read.", number=number))
                break
            rows.append(row[:_MOST_COLUMNS])
    except csv.Error:
        document.problem(say("Its rows could be read up to line {number} only.", number=len(rows)))
    document.add_table(rows)


def _dialect(text: str) -> type[csv.Dialect] | csv.Dialect:
    sample = text[:_SAMPLE]
    try:
        return csv.Sniffer().sniff(sample, _DELIMITERS)
    except csv.Error:
        first = sample.partition("\n")[0]
        best = max(_DELIMITERS, key=first.count)

    class Plain(csv.excel):
        delimiter = best

    return Plain


def read_md(data: bytes, document: Document) -> None:
    """Add headings, lists, tables and paragraphs of Markdown. Raises `UnreadableError`."""
    lines = _clipped(decoded(data, document), document).split("\n")
    held: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        if fence := _FENCE.match(line):
            _flush(held, document)
            end = next((n for n in range(at + 1, len(lines)) if lines[n].lstrip().startswith(fence[1])), len(lines))
            document.add(Kind.CODE, "\n".join(lines[at + 1 : end]))
            at = end
        elif heading := _HEADING.match(line[:_LONGEST_MARK]):
            _flush(held, document)
            document.add(Kind.HEADING, heading[2], level=len(heading[1]))
        elif "|" in line and at + 1 < len(lines) and _RULE.match(lines[at + 1][:_LONGEST_MARK]):
            _flush(held, document)
            end = next((n for n in range(at + 2, len(lines)) if "|" not in lines[n]), len(lines))
            document.add_table([_cells(lines[n]) for n in (at, *range(at + 2, end))])
            at = end - 1
        elif not line.strip():
            _flush(held, document)
        else:
            held.append(line.rstrip())
        at += 1
    _flush(held, document)


def _flush(held: list[str], document: Document) -> None:
    if held:
        kind = Kind.LIST if _ITEM.match(held[0]) else Kind.TEXT
        text = "\n".join(held)
        document.blocks.append(Block(kind, text if kind is Kind.LIST else text.strip()))
    held.clear()


def _cells(line: str) -> list[str]:
    bare = line.strip().removeprefix("|").removesuffix("|")
    return [cell.strip().replace("\\|", "|") for cell in _CELL_END.split(bare)]
