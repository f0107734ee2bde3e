"""The quotable passages of a chunk: its sentences, and the rows of its tables."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from butler.agents.tailor.figures import MONTHS
from butler.contract.agents import RetrievedContext

_END = re.compile(r"[.!?…]+[\"'”’»)\]]*\s+(?=[\"'“„«(\[¿¡]*[A-ZÀ-ÞĀ-Ž0-9])")
_ABBREVIATION = re.compile(
    r"(?:\b(?:mr|mrs|ms|dr|prof|st|no|nr|vs|etc|e\.g|i\.e|approx|ca|bzw|usw|z\.b|d\.h|str|tel|abs|art|p|pp|s|av|bd|mme|"
    r"mlle|sr|sra|ud|uds|inc|ltd|co|jan|feb|mar|apr|jun|jul|aug|sep|sept|oct|nov|dec|okt|dez)|\b[a-z])\.$",
    re.IGNORECASE,
)
_ORDINAL = re.compile(r"(?<![:.,\d])\d{1,2}\.$")
_SHORT_LINE = 60
"""Characters: a shorter line was ended by its author, not by the width of a page."""
NEAR = 20
"""Characters around a full stop that tell whether a sentence ends there."""
_ITEM = re.compile(r"\s*(?:[-*•·]|\d{1,2}[.)]|#{1,6})\s")
_RULE = re.compile(r"^\|?[\s:|-]*-[\s:|-]*\|?$")


@dataclass(frozen=True, slots=True)
class Passage:
    """A sentence or a row. `text` is its wording; `quote` is the chunk's own text, letter by letter."""

    chunk: RetrievedContext
    text: str
    quote: str
    row: bool = False
    before: str = ""
    """The sentence before it in the same paragraph, which often names the topic."""


def passages(chunk: RetrievedContext) -> Iterator[Passage]:
    """Yield the passages of a chunk, in order."""
    prose: list[str] = []
    table: list[str] = []
    for line in [*chunk.content.splitlines(keepends=True), ""]:
        if line.strip().startswith("|"):
            yield from _sentences(chunk, "".join(prose))
            prose = []
            table.append(line.strip())
            continue
        yield from _rows(chunk, table)
        table = []
        prose.append(line)
    yield from _sentences(chunk, "".join(prose))


def _rows(chunk: RetrievedContext, lines: list[str]) -> Iterator[Passage]:
    """Yield the rows of a Markdown table, each cell with its column's name."""
    headed = len(lines) > 1 and _RULE.match(lines[1]) is not None
    heads = cells(lines[0]) if headed else []
    for line in lines[2:] if headed else lines:
        values = cells(line)
        if _RULE.match(line) or not any(values):
            continue
        names = heads if len(heads) == len(values) else [""] * len(values)
        texts = [f"{name}: {value}" if name else value for name, value in zip(names, values, strict=True) if value]
        yield Passage(chunk, "; ".join(texts), line, row=True)


def cells(line: str) -> list[str]:
    """Return the cells of a row."""
    return [cell.replace(r"\|", "|").strip() for cell in re.split(r"(?<!\\)\|", line.strip().strip("|"))]


def _sentences(chunk: RetrievedContext, text: str) -> Iterator[Passage]:
    for paragraph in re.split(r"\n[ \t]*\n", text):
        before = ""
        for quote in _split(paragraph):
            sentence = " ".join(quote.split()).lstrip("#").strip()
            if any(char.isalnum() for char in sentence):
                yield Passage(chunk, sentence, quote.strip(), before=before)
                before = sentence


def _split(paragraph: str) -> Iterator[str]:
    for block in _blocks(paragraph):
        start = 0
        for end in _END.finditer(block):
            last = block[max(start, end.start() - NEAR) : end.end()].rstrip()
            if not _goes_on(last, block[end.end() : end.end() + NEAR]):
                yield block[start : end.end()]
                start = end.end()
        yield block[start:]


def _goes_on(before: str, after: str) -> bool:
    """Return whether the final full stop belongs to an abbreviation, or to a day such as `3. März`."""
    if _ABBREVIATION.search(before):
        return True
    word = re.match(r"[^\W\d_]+", after)
    return bool(_ORDINAL.search(before) and word and word.group().casefold() in MONTHS)


def _blocks(paragraph: str) -> Iterator[str]:
    """Join the lines that a page's width broke."""
    block: list[str] = []
    for line in paragraph.splitlines(keepends=True):
        if block and (_ITEM.match(line) or len(block[-1].rstrip()) < _SHORT_LINE):
            yield "".join(block)
            block = []
        block.append(line)
    yield "".join(block)
