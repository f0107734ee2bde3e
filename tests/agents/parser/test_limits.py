"""Files that are built to take all of a machine: none takes more than 20 seconds of it or 400 MB."""

import asyncio
import os
import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from butler.agents.parser import parser as parser_module
from butler.agents.parser.parser import DocumentParser
from butler.agents.parser.port import FileType, ParserInput
from butler.contract.agents import AgentFailure, ParserOutput
from config.agents import DocumentsSettings
from tests.agents.parser.files import docx, line, packed, paragraph, pdf, pdf_of, relations, stream
from tests.support.nightly import every_nth

_PNG = b"\x89PNG\r\n\x1a\n"
_SHEETS = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"


def _part(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _packed_rows(row: bytes, count: int) -> bytes:
    packer = zlib.compressobj(9)
    return b"".join(packer.compress(row) for _ in range(count)) + packer.flush()


def _png(side: int, *, bits: int, kind: int) -> bytes:
    row = bytes(1 + side * bits * (3 if kind == 2 else 1) // 8)
    head = struct.pack(">IIBBBBB", side, side, bits, kind, 0, 0, 0)
    return _PNG + _part(b"IHDR", head) + _part(b"IDAT", _packed_rows(row, side)) + _part(b"IEND", b"")


def _scan(box: int, side: int, pages: int = 1) -> bytes:
    """A PDF file of pages of this size, in points, each of them the same picture."""
    data = _packed_rows(b"\xff" * side * 3, side)
    look = f"/Type /XObject /Subtype /Image /Width {side} /Height {side} /ColorSpace /DeviceRGB /BitsPerComponent 8"
    kids = " ".join(f"{4 + at} 0 R" for at in range(pages))
    page = f"/MediaBox [0 0 {box} {box}] /Resources << /XObject << /I 3 0 R >> >> /Contents {4 + pages} 0 R"
    return pdf_of(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            f"<< /Type /Pages /Kids [{kids}] /Count {pages} >>",
            f"<< {look} /Length {len(data)} /Filter /FlateDecode >>\nstream\n".encode() + data + b"\nendstream",
            *[f"<< /Type /Page /Parent 2 0 R {page} >>"] * pages,
            stream(f"q {box} 0 0 {box} 0 0 cm /I Do Q".encode()),
        ]
    )


def _nested_pages() -> bytes:
    """A page 5,000 levels down."""
    levels = [f"<< /Type /Pages /Kids [{at + 3} 0 R] /Count 1 /Parent {at + 1} 0 R >>" for at in range(5_000)]
    page = "<< /Type /Page /Parent 5001 0 R /MediaBox [0 0 595 842] >>"
    return pdf_of(["<< /Type /Catalog /Pages 2 0 R >>", *levels, page])


def _nested_drawings() -> bytes:
    """A drawing that draws another twice, and so on: 2 to the power of 35 words."""
    font = "/Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
    form = "/Type /XObject /Subtype /Form /BBox [0 0 595 842] /Resources << /XObject << /A {} 0 R >> " + font + " >>"
    levels = [stream(b"/A Do /A Do BT /F1 8 Tf 30 30 Td (ha) Tj ET", form.format(at + 1)) for at in range(4, 39)]
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /XObject << /A 4 0 R >> >>"
    return pdf_of(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            f"{page} /Contents 40 0 R >>",
            *levels,
            stream(b"BT ET", form.format(39)),
            stream(b"/A Do"),
        ]
    )


def _much_unpacked() -> bytes:
    page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents 4 0 R >>"
    pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>"
    return pdf_of(["<< /Type /Catalog /Pages 2 0 R >>", pages, page, stream(b" " * 600_000_000)])


def _long_text() -> bytes:
    page = "\n".join(line(f"This is line {at} of a page with plain words in it.", 800 - 12 * at) for at in range(12))
    return pdf(*[page] * 5_000)


def _workbook(rows: str) -> bytes:
    """A sheet that says that it is as large as one can be."""
    kinds = "application/vnd.openxmlformats-officedocument.spreadsheetml"
    return packed(
        {
            "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
            '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
            f'<Override PartName="/xl/workbook.xml" ContentType="{kinds}.sheet.main+xml"/>'
            f'<Override PartName="/xl/worksheets/sheet1.xml" ContentType="{kinds}.worksheet+xml"/></Types>',
            "_rels/.rels": relations(("r1", "officeDocument", "xl/workbook.xml")),
            "xl/workbook.xml": f'<workbook xmlns="{_SHEETS}" xmlns:r="{_R}"><sheets>'
            '<sheet name="S" sheetId="1" r:id="r1"/></sheets></workbook>',
            "xl/_rels/workbook.xml.rels": relations(("r1", "worksheet", "worksheets/sheet1.xml")),
            "xl/worksheets/sheet1.xml": f'<worksheet xmlns="{_SHEETS}"><dimension ref="A1:XFD1048576"/>'
            f"<sheetData>{rows}</sheetData></worksheet>",
        }
    )


def _many_rows() -> bytes:
    return _workbook("".join(f'<row r="{at}"><c r="A{at}"><v>{at * 7}</v></c></row>' for at in range(1, 250_001)))


def _far_cell() -> bytes:
    first = '<row r="1"><c r="A1"><v>1</v></c></row>'
    return _workbook(first + '<row r="1048576"><c r="XFD1048576"><v>2</v></c></row>')


def _small_parts() -> bytes:
    return docx("".join(paragraph(str(at * 7919)) for at in range(700_000)))


_BOMBS: dict[str, tuple[FileType, Callable[[], bytes], str]] = {
    "a picture of 30,000 x 30,000": ("image", lambda: _png(30_000, bits=1, kind=0), "far too large"),
    "a picture of 79 million colours": ("image", lambda: _png(8_900, bits=8, kind=2), "far too large"),
    "a page of 14 km": ("pdf", lambda: _scan(40_000_000, 100), ""),
    "a page of 5 m": ("pdf", lambda: _scan(14_400, 2_000), ""),
    "pages of a picture of 36 million": ("pdf", lambda: _scan(600, 6_000, 30), ""),
    "pages within pages": ("pdf", _nested_pages, ""),
    "drawings within drawings": ("pdf", _nested_drawings, "memory"),
    "drawing instructions of 600 MB": ("pdf", _much_unpacked, "memory"),
    "5,000 pages of text": ("pdf", _long_text, "5,000 pages|to 5000"),
    "a Word file that unpacks to very much": ("docx", lambda: docx(paragraph("word") * 1_500_000), "its size"),
    "a Word file of very small parts": ("docx", _small_parts, "memory|5,000 pieces|20 seconds"),
    "a sheet that says it is the largest": ("xlsx", _far_cell, ""),
    "a sheet of 250,000 rows": ("xlsx", _many_rows, "200,000 cells|20 seconds"),
}


@pytest.mark.nightly
@pytest.mark.parametrize("name", every_nth(list(_BOMBS), 4))
async def test_no_file_takes_more_than_its_time_and_memory(name, tmp_path, monkeypatch):
    kind, build, said = _BOMBS[name]
    path = tmp_path / "file"
    path.write_bytes(build())
    monkeypatch.setattr(parser_module, "_GRACE_S", 120.0)  # a busy machine
    parser = DocumentParser(DocumentsSettings())
    reading = asyncio.create_task(
        parser.parse(ParserInput(file_path=str(path), file_type=kind, ingestion_source="local"))
    )
    seconds, memory = await _used(parser, reading)
    answer = await reading
    await parser.stop()
    assert seconds < 21
    assert memory < 400
    assert isinstance(answer, ParserOutput | AgentFailure)
    told = answer.message if isinstance(answer, AgentFailure) else " ".join(answer.problems)
    assert any(words in told for words in said.split("|")), told


async def _used(parser: DocumentParser, reading: asyncio.Task) -> tuple[float, float]:
    """Seconds of processor and the most memory of the process that reads, however it ends."""
    seconds = memory = 0.0
    while not reading.done():
        for child in parser._children:
            process = Path(f"/proc/{child._process.pid}") if child._process is not None else None
            try:
                told = (process / "status").read_text("ascii") if process else ""
                fields = (process / "stat").read_text("ascii").rpartition(")")[2].split() if process else []
            except OSError:
                continue
            if "VmHWM:" in told:
                memory = max(memory, int(told.split("VmHWM:")[1].split()[0]) / 1000)
                seconds = max(seconds, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
        await asyncio.wait([reading], timeout=0.02)
    return seconds, memory
