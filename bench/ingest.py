"""What it costs to take documents in and to find them again.

Pages of PDF a second beside markitdown (`bench/ingest_pdf.py`), and searches of memory beside LanceDB as it comes and
numpy (`bench/ingest_search.py`), each pair in turns within this run.
"""

import argparse
import asyncio
import tempfile
from pathlib import Path

from bench.ingest_pdf import pdf_vs_markitdown
from bench.ingest_search import Noisy, searched
from bench.machine import report, table

SIZES = (1_000, 10_000, 100_000)
HEADER = (
    "chunks",
    "Butler ms",
    "LanceDB hybrid ms",
    "LanceDB vectors ms",
    "numpy ms",
    "of it the question's vector ms",
    "recall",
    "LanceDB recall",
    "taking in s",
)


async def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.ingest", description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of chunks")
    parser.add_argument("--no-pdf", action="store_true", help="searches alone")
    options = parser.parse_args()
    pages = {} if options.no_pdf else pdf_vs_markitdown()
    embedder = Noisy()
    results = []
    for size in options.sizes:
        with tempfile.TemporaryDirectory() as folder:
            results.append(await searched(Path(folder), size, embedder))
            print(f"searched {size:,} chunks", flush=True)
    print("\nsearches, medians; each begins with the question's vector; recall is that of the exact ten nearest\n")
    rows = [
        [
            f"{one.chunks:,}",
            *(f"{ms:.1f}" for ms in (one.butler_ms, one.hybrid_ms, one.vectors_ms, one.numpy_ms, one.embed_ms)),
            *(f"{share:.3f}" for share in (one.recall, one.raw_recall)),
            f"{one.adding_s:.0f}",
        ]
        for one in results
    ]
    table(HEADER, rows)
    print()
    last = results[-1]
    ratios = {
        **({"pdf_vs_markitdown": pages["pdf_vs_markitdown"]} if "pdf_vs_markitdown" in pages else {}),
        "search_vs_raw_lancedb": round(last.butler_ms / last.hybrid_ms, 2),
        "search_vs_raw_vectors": round(last.butler_ms / last.vectors_ms, 2),
        "recall": round(min(one.recall for one in results), 3),
    }
    figures = pages | {f"search_p50_ms_{one.chunks}": round(one.butler_ms, 1) for one in results}
    report("ingest", ratios, figures | {"question_vector_ms": round(last.embed_ms, 1)})


if __name__ == "__main__":
    asyncio.run(main())
