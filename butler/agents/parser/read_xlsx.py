"""Reads Excel files: each sheet as tables of the last computed values."""

# pyright: reportUnknownMemberType=false, reportUnknownVariableType=false, reportUnknownArgumentType=false
# openpyxl is untyped.

import io
import re
import warnings
from datetime import date, datetime, time, timedelta
from typing import Any

from butler.agents.parser.blocks import Document, Kind, UnreadableError, damaged
from butler.agents.parser.package import Package
from butler.agents.parser.properties import describe
from butler.contract.speech import phrase, say, say_many, say_number

_MOST_CELLS = 200_000
_MOST_TEXT = 20_000_000
"""Characters."""
_MOST_COLUMNS = 200
_LONGEST_CELL = 40_000
"""Characters; Excel itself keeps at most 32,767, but a file may refer to one text from very many cells."""
_MOST_EMPTY = 200
"""Consecutive empty rows after which a sheet counts as ended."""
_UNCOMPUTED = re.compile(rb"</f>\s*</c>|<f\b[^<>]*/>\s*</c>|</f>\s*<v\s*/>|</f>\s*<v></v>")


def read_xlsx(data: bytes, package: Package, document: Document) -> None:
    """Add the content of the file to the document. Raises `UnreadableError`."""
    if not package.main_part:
        raise damaged(phrase("the part with its sheets is missing"))
    package.refuse_hostile_xml()
    import openpyxl  # noqa: PLC0415 - heavy, only for who reads a sheet

    warnings.simplefilter("ignore")
    try:
        book = openpyxl.load_workbook(io.BytesIO(data), read_only=True, data_only=True, keep_links=False)
    except MemoryError:
        raise
    except Exception as error:  # the boundary to a hostile format; the owner is told
        raise damaged(phrase("its sheets cannot be understood")) from error
    reader = _Reader(document)
    hidden: list[str] = []
    names: list[str] = []
    for sheet in book.worksheets:
        if sheet.sheet_state != "visible":
            hidden.append(sheet.title)
            continue
        names.append(sheet.title)
        try:
            reader.sheet(sheet, len(names))
        except (UnreadableError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - the same boundary: the other sheets are read
            document.problem(
                say(
                    "Sheet {number} could not be read to its end ({error}).",
                    number=len(names),
                    error=type(error).__name__,
                )
            )
    document.pages = len(names)
    document.metadata["sheets"] = names
    if hidden:
        number = say_number(len(hidden))
        document.problem(
            say_many(
                len(hidden), "Left out: {number} hidden sheet.", "Left out: {number} hidden sheets.", number=number
            )
        )
    _tell(package, document)
    describe(package, document)


def _tell(package: Package, document: Document) -> None:
    sheets = [name for name in package.names if name.startswith("xl/worksheets/") and name.endswith(".xml")]
    uncomputed = sum(len(_UNCOMPUTED.findall(package.bytes_of(name))) for name in sheets)
    if uncomputed:
        document.problem(
            say_many(
                uncomputed,
                "Empty, because no result of it is stored: {number} formula.",
                "Empty, because no result of it is stored: {number} formulas.",
                number=say_number(uncomputed),
            )
        )
    if any(name.startswith(("xl/charts/", "xl/media/")) for name in package.names):
        document.problem(say("Charts and pictures in it were not read."))


class _Reader:
    def __init__(self, document: Document) -> None:
        self._document = document
        self._cells = 0
        self._length = 0

    def sheet(self, sheet: Any, page: int) -> None:
        """Add a heading, and a table for each group of rows between empty ones."""
        self._document.add(Kind.HEADING, sheet.title, page=page, level=1)
        rows: list[list[str]] = []
        empty = 0
        for values in sheet.iter_rows(max_col=_MOST_COLUMNS, values_only=True):
            row = [_shown(value) for value in values]
            while row and not row[-1]:
                row.pop()
            # Empty rows count too: openpyxl adds those that a file leaves out.
            self._cells += len(row) or 1
            self._length += sum(map(len, row))
            if self._cells > _MOST_CELLS or self._length > _MOST_TEXT:
                self._document.problem(
                    say(
                        "It is very large: only its first {number} cells were read.",
                        number=say_number(min(self._cells, _MOST_CELLS)),
                    )
                )
                break
            if not row:
                empty += 1
                rows = self._table(rows, page)
                if empty > _MOST_EMPTY:
                    break
                continue
            empty = 0
            rows.append(row)
        self._table(rows, page)

    def _table(self, rows: list[list[str]], page: int) -> list[list[str]]:
        """Add a table without its empty leading columns; return an empty list for the next table's rows."""
        if len(rows) == 1:
            self._document.add(Kind.TEXT, "  ".join(filter(None, rows[0])), page=page)
        elif rows:
            first = min(next(at for at, cell in enumerate(row) if cell) for row in rows)
            self._document.add_table([row[first:] for row in rows], page=page)
        return []


def _shown(value: object) -> str:
    """Return a value as a person writes it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.15g}"
    if isinstance(value, datetime):
        return value.date().isoformat() if value.time() == time() else value.isoformat(" ", "minutes")
    if isinstance(value, date | time | timedelta):
        return str(value)
    return " ".join(str(value)[:_LONGEST_CELL].split())
