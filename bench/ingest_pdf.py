"""How fast PDF files are read, beside markitdown: the same generated files, in turns within one run.

Butler's side is all of it: the child process with its bounds, the search for text that nobody can see, tables with
their places, the pieces. Time is that of processors, of both processes. Of each table row it is counted whether its
cells came out in order within one line, so that nobody wins by reading less.
"""

import argparse
import asyncio
import importlib.util
import logging
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from bench.ingest_pdf_files import Made, documents
from bench.machine import report, table
from butler.agents.parser.parser import DocumentParser
from butler.agents.parser.port import ParserInput
from butler.contract.agents import ParserOutput
from config.agents import DocumentsSettings

BUTLER, MARKITDOWN = "Butler", "markitdown"
_TICKS = os.sysconf("SC_CLK_TCK")
_NEEDED = ("markitdown", "pdfminer", "pdfplumber")


@dataclass(frozen=True, slots=True)
class Read:
    """What came of one round over all files."""

    seconds: float
    texts: Sequence[str]


class Butler:
    """The parser agent with its child process, which stays between rounds."""

    def __init__(self) -> None:
        self._runner = asyncio.Runner()
        # On a busy machine the other one takes so long for a round that the process would leave meanwhile.
        self._parser = DocumentParser(DocumentsSettings(ocr=False), idle_s=3_600)

    def __call__(self, paths: Sequence[Path]) -> Read:
        began = _cpu_s()
        texts = self._runner.run(self._read(paths))
        return Read(_cpu_s() - began, texts)

    def close(self) -> None:
        self._runner.run(self._parser.stop())
        self._runner.close()

    async def _read(self, paths: Sequence[Path]) -> list[str]:
        texts: list[str] = []
        for path in paths:
            output = await self._parser.parse(
                ParserInput(file_path=str(path), file_type="pdf", ingestion_source="local")
            )
            assert isinstance(output, ParserOutput), output
            texts.append("\n".join(chunk.content for chunk in output.chunks))
        return texts


def _cpu_s() -> float:
    """Seconds of processor of this process and of its children, those that run and those that have ended."""
    used = os.times()
    running = 0
    for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text(encoding="ascii").split():
        fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()
        running += int(fields[11]) + int(fields[12])
    return used.user + used.system + used.children_user + used.children_system + running / _TICKS


class Markitdown:
    """markitdown, in this process."""

    def __init__(self) -> None:
        from markitdown import MarkItDown  # noqa: PLC0415 - only here, and heavy

        self._reader = MarkItDown()

    def __call__(self, paths: Sequence[Path]) -> Read:
        began = _cpu_s()
        texts = [self._reader.convert_local(path).markdown for path in paths]
        return Read(_cpu_s() - began, texts)

    def close(self) -> None:
        """Nothing stays open."""


def found(files: Sequence[Made], texts: Sequence[str]) -> float:
    """The share of table rows whose cells stand in order in one line."""
    rows = hits = 0
    for file, text in zip(files, texts, strict=True):
        lines = [" ".join(line.replace("|", " ").split()) for line in text.splitlines()]
        known = set(lines)
        rows += len(file.rows)
        hits += sum(" ".join(row) in known for row in file.rows)
    return hits / rows


def measured(files: int, pages: int, rounds: int) -> dict[str, list[Read]]:
    """Rounds of each reader, in turns; a first one that only loads what is needed does not count."""
    readers: dict[str, Butler | Markitdown] = {BUTLER: Butler()}
    missing = [name for name in _NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        print(f"{MARKITDOWN} cannot read PDF without {', '.join(missing)}: pip install 'markitdown[pdf]'")
    else:
        readers[MARKITDOWN] = Markitdown()
    with tempfile.TemporaryDirectory() as folder:
        paths: list[Path] = []
        for number, made in enumerate(documents(files, pages)):
            paths.append(Path(folder) / f"{number}.pdf")
            paths[-1].write_bytes(made.data)
        for reader in readers.values():
            reader(paths[:1])
        results: dict[str, list[Read]] = {}
        for _ in range(rounds):
            for name, reader in readers.items():
                results.setdefault(name, []).append(reader(paths))
    return results


def pdf_vs_markitdown(files: int = 6, pages: int = 25, rounds: int = 3) -> dict[str, float]:
    """Pages a second of processor of each, how many times as fast Butler is, and the share of table rows found.

    Without markitdown's PDF part, only Butler's own figures.
    """
    results = measured(files, pages, rounds)
    made = documents(files, pages)
    figures: dict[str, float] = {}
    for name, key in ((BUTLER, "pdf"), (MARKITDOWN, "markitdown")):
        if reads := results.get(name):
            figures[f"{key}_pages_per_s"] = round(files * pages / statistics.median(read.seconds for read in reads), 1)
            figures[f"{key}_rows_found"] = round(found(made, reads[0].texts), 4)
    if MARKITDOWN in results:
        both = zip(results[MARKITDOWN], results[BUTLER], strict=True)
        figures["pdf_vs_markitdown"] = round(
            statistics.median(theirs.seconds / ours.seconds for theirs, ours in both), 1
        )
    return figures


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.ingest_pdf", description=__doc__)
    parser.add_argument("--files", type=int, default=6)
    parser.add_argument("--pages", type=int, default=25, help="of each file")
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING))
    began = time.monotonic()
    figures = pdf_vs_markitdown(options.files, options.pages, options.rounds)
    table(("", "pages a CPU second", "table rows found"), _rows(figures))
    print(f"\n{options.files} files of {options.pages} pages, {time.monotonic() - began:.0f} s")
    ratios = {name: value for name, value in figures.items() if name == "pdf_vs_markitdown"}
    report("ingest_pdf", ratios, {name: value for name, value in figures.items() if name not in ratios})


def _rows(figures: dict[str, float]) -> list[list[object]]:
    return [
        [name, figures[f"{key}_pages_per_s"], f"{figures[f'{key}_rows_found']:.1%}"]
        for name, key in ((BUTLER, "pdf"), (MARKITDOWN, "markitdown"))
        if f"{key}_pages_per_s" in figures
    ]


if __name__ == "__main__":
    main()
