"""Cuts a document into chunks that a question can find: along its structure, of about 200 to 350 words.

A chunk never crosses a heading; a table is a chunk of its own, and a large one is cut between rows, each part with the
header.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from butler.agents.parser.blocks import Block, Box, Document, Kind, Row
from butler.agents.parser.markdown import table_lines
from butler.contract.speech import say, say_number

MOST_CHUNKS = 5_000
MOST_TEXT = 10_000_000
"""Characters of all chunks: a far longer answer would block its receiver."""
_LONGEST_REPEATED = 4_000
"""Characters of a header that each part of its table repeats."""
_ENOUGH, _MOST = 200, 350
"""Words: from the first number on a chunk may end at a paragraph's end; only one longer word exceeds the second."""
_SENTENCE_END = re.compile(r"(?<=[.!?…。！？])[\"'”’)\]]*\s+|\n")
_LETTERS_A_WORD = 7
"""Estimates the number of words in texts without blanks."""


def words_in(text: str) -> int:
    """Estimate the number of words, in any script."""
    return max(len(text.split()), len(text) // _LETTERS_A_WORD)


def chunks_of(document: Document, digest: str) -> list[dict[str, Any]]:
    """Return the fields of each `ParsedChunk`; a document that is too long is cut, and a problem says so."""
    chunks: list[dict[str, Any]] = []
    length = 0
    for piece in _Cutter().pieces(document.blocks):
        if len(chunks) == MOST_CHUNKS:
            _tell(document, MOST_CHUNKS)
            break
        length += len(piece.content)
        if length > MOST_TEXT:
            _tell(document, len(chunks))
            break
        chunks.append(
            {
                "chunk_id": f"{digest[:32]}-{len(chunks)}",
                "content": piece.content,
                "chunk_index": len(chunks),
                "page_number": piece.blocks[-1].page,
                "layout_type": piece.kind.value,
                "bbox": _around(piece.blocks),
                "headings": list(piece.headings),
            }
        )
    return chunks


def _tell(document: Document, number: int) -> None:
    document.problem(say("It is very long: only its first {number} pieces were read.", number=say_number(number)))


@dataclass(frozen=True, slots=True)
class _Piece:
    kind: Kind
    content: str
    headings: tuple[str, ...]
    blocks: Sequence[Block]
    """The blocks of the chunk."""


class _Cutter:
    def __init__(self) -> None:
        self._path: list[Block] = []
        """The current headings, the outermost first."""
        self._titles: list[Block] = []
        """The headings that have no text under them so far."""
        self._held: list[Block] = []
        self._words = 0

    def pieces(self, blocks: Sequence[Block]) -> Iterator[_Piece]:
        for block in blocks:
            if block.kind is Kind.HEADING:
                yield from self._heading(block)
            elif block.kind is Kind.TABLE:
                yield from self._text()
                yield from self._table(block)
            elif block.kind in {Kind.NOTES, Kind.IMAGE}:
                yield from self._text()
                yield from self._heading_alone()
                for part in _parts(block):
                    yield self._piece(block.kind, part.text, [part])
            else:
                for part in _parts(block):
                    if self._is_full(part):
                        yield from self._text()
                    self._held.append(part)
                    self._words += words_in(part.text)
        yield from self._text()
        yield from self._heading_alone()

    def _heading(self, block: Block) -> Iterator[_Piece]:
        yield from self._text()
        if self._titles and self._titles[-1].level >= block.level:
            yield from self._heading_alone()
        while self._path and self._path[-1].level >= block.level:
            self._path.pop()
        self._path.append(block)
        self._titles.append(block)

    def _is_full(self, more: Block) -> bool:
        if not self._held:
            return False
        # A citation names one page.
        turns = more.page != self._held[-1].page
        return turns or self._words >= _ENOUGH or self._words + words_in(more.text) > _MOST

    def _text(self) -> Iterator[_Piece]:
        """Yield the collected text, with the headings right before it."""
        if self._held:
            blocks = [*self._titles, *self._held]
            self._titles, self._held, self._words = [], [], 0
            yield self._piece(Kind.TEXT, _joined(blocks), blocks)

    def _heading_alone(self) -> Iterator[_Piece]:
        if self._titles:
            blocks, self._titles = self._titles, []
            yield self._piece(Kind.HEADING, _joined(blocks), blocks)

    def _table(self, block: Block) -> Iterator[_Piece]:
        titles, self._titles = self._titles, []
        for content in _tables(block.rows):
            yield self._piece(Kind.TABLE, f"{_joined(titles)}\n\n{content}" if titles else content, [block])
            titles = []

    def _piece(self, kind: Kind, content: str, blocks: Sequence[Block]) -> _Piece:
        return _Piece(kind, content, tuple(block.text for block in self._path), blocks)


def _joined(blocks: Sequence[Block]) -> str:
    text = ""
    for before, block in zip([None, *blocks[:-1]], blocks, strict=True):
        together = before is not None and before.kind is block.kind is Kind.LIST
        content = f"{'#' * max(1, min(block.level, 6))} {block.text}" if block.kind is Kind.HEADING else block.text
        text += ("" if before is None else "\n" if together else "\n\n") + content
    return text


def _parts(block: Block) -> Iterator[Block]:
    """Split a long block after sentences if it has any."""
    if words_in(block.text) <= _MOST:
        yield block
        return
    held = ""
    for sentence in _sentences(block.text):
        if held and words_in(held) + words_in(sentence) > (_ENOUGH + _MOST) // 2:
            yield Block(block.kind, held.strip(), block.page, block.level, block.box)
            held = ""
        held += sentence
    yield Block(block.kind, held.strip(), block.page, block.level, block.box)


def _sentences(text: str) -> Iterator[str]:
    at = 0
    for end in (*(match.end() for match in _SENTENCE_END.finditer(text)), len(text)):
        sentence, at = text[at:end], end
        if words_in(sentence) <= _MOST:
            yield sentence
            continue
        # Too long for a sentence: cut it between words, or anywhere.
        size, begin = _ENOUGH * _LETTERS_A_WORD, 0
        while len(sentence) - begin > size:
            cut = sentence.rfind(" ", begin + size // 2, begin + size) + 1 or begin + size
            yield sentence[begin:cut]
            begin = cut
        yield sentence[begin:]


def _tables(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table as Markdown, whole or in parts, each with the header unless that is very long."""
    head, *body = table_lines(rows)
    size = words_in(head)
    is_repeated = len(head) <= _LONGEST_REPEATED
    held: list[str] = []
    words = 0
    for line in body:
        if held and size + words + words_in(line) > _MOST:
            yield "\n".join([head, *held] if head else held)
            held, words = [], 0
            if not is_repeated:
                head, size = "", 0
        held.append(line)
        words += words_in(line)
    yield "\n".join([head, *held] if head else held)


def _around(blocks: Sequence[Block]) -> list[float] | None:
    """Return the box around the blocks on the named page, if all their places are known."""
    there = [block for block in blocks if block.page == blocks[-1].page]
    boxes: list[Box] = [block.box for block in there if block.box is not None]
    if len(boxes) < len(there):
        return None
    lefts, tops, rights, bottoms = zip(*boxes, strict=True)
    return [round(edge, 1) for edge in (min(lefts), min(tops), max(rights), max(bottoms))]
