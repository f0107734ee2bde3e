"""PDF files like those that people get: letters with headings, paragraphs, and tables with and without lines."""

import random
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_SPOKEN = (
    "the of and to in is on by it or be at as an we our your this that with from rent house garden heating water month"
    " year contract notice letter invoice amount payment account deposit repair window kitchen tenant owner meeting"
    " agenda report river summer winter music teacher school travel ticket hotel station morning evening paper order"
)
_WORDS = _SPOKEN.split()
_TOP, _LEFT, _LINE = 790, 60, 13
_COLUMNS = 4
_ROWS = 8


@dataclass(frozen=True, slots=True)
class Made:
    """A file, and the rows of its tables, each as its cells."""

    data: bytes
    pages: int
    rows: Sequence[Sequence[str]]


def documents(count: int, pages: int) -> list[Made]:
    """The same ones at every run."""
    return [_document(random.Random(seed), pages) for seed in range(count)]


def _document(dice: random.Random, pages: int) -> Made:
    rows: list[list[str]] = []
    return Made(_pdf([_page(dice, number, rows) for number in range(pages)]), pages, rows)


def _page(dice: random.Random, number: int, rows: list[list[str]]) -> str:
    drawing = [_text(f"{number + 1}. {_said(dice, 3).capitalize()}", _LEFT, _TOP, 16)]
    y = _TOP - 30
    for _ in range(4):
        for _ in range(5):
            drawing.append(_text(_said(dice, 13), _LEFT, y))
            y -= _LINE
        y -= _LINE
    for ruled in (True, False):
        table = [[f"{_said(dice, 1)} {dice.randrange(10_000)}" for _ in range(_COLUMNS)] for _ in range(_ROWS)]
        rows += table
        drawing += _table([["Item", "Amount", "Date", "Note"], *table], y, ruled=ruled)
        y -= (_ROWS + 1) * 16 + 2 * _LINE
    return "\n".join(drawing)


def _said(dice: random.Random, count: int) -> str:
    return " ".join(dice.choices(_WORDS, k=count))


def _text(text: str, x: int, y: int, size: int = 10) -> str:
    return f"BT /F1 {size} Tf {x} {y} Td ({text}) Tj ET"


def _table(rows: Sequence[Sequence[str]], top: int, *, ruled: bool) -> Iterator[str]:
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            yield _text(cell, _LEFT + 4 + column * 118, top - at * 16, 9)
    if ruled:
        right, bottom = _LEFT + _COLUMNS * 118, top + 11 - len(rows) * 16
        for at in range(len(rows) + 1):
            yield f"{_LEFT} {top + 11 - at * 16} m {right} {top + 11 - at * 16} l S"
        for column in range(_COLUMNS + 1):
            yield f"{_LEFT + column * 118} {top + 11} m {_LEFT + column * 118} {bottom} l S"


def _pdf(drawings: Sequence[str]) -> bytes:
    kids = " ".join(f"{4 + 2 * at} 0 R" for at in range(len(drawings)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(drawings)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for at, drawing in enumerate(drawings):
        look = f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * at} 0 R"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] {look} >>".encode())
        packed = zlib.compress(drawing.encode())
        head = f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode()
        objects.append(head + packed + b"\nendstream")
    data = b"%PDF-1.4\n"
    places: list[int] = []
    for number, body in enumerate(objects, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    count = len(objects) + 1
    listed = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (count, len(data))
    return data + b"xref\n0 %d\n0000000000 65535 f \n" % count + listed + end
