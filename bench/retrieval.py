"""How well memory finds the passage that answers a question: beside full text (BM25) alone and vectors alone.

Own passages and questions (`bench/retrieval_data`), in English, German, French and Spanish; figures are of the half
that nothing was tuned on. Also how many questions with an answer get the right source first, and how many without one
are refused, with the relevance that is asked for by default.
"""

import asyncio
import math
import tempfile
from collections.abc import AsyncGenerator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

from bench.machine import report, table
from bench.retrieval_set import TEST, Question, documents, questions
from butler.agents.embedding.embedder import Embedder
from butler.agents.memory.found import Found
from butler.agents.memory.library import LibraryMemory
from butler.clock import RealClock
from butler.contract.agent_ports import MemoryDocument
from butler.store.open import open_store
from config.agents import MemorySettings

SHOWN = 10
LEAST = MemorySettings().min_relevance
WAYS: Mapping[str, Callable[[Found], float]] = {
    "hybrid": lambda one: one.relevance,
    "vectors alone": lambda one: one.signs.nearness,
    "BM25 alone": lambda one: one.hit.score,
}
GROUPS = ("all", "en", "de", "fr", "es", "para", "exact", "cross")


@asynccontextmanager
async def remembered(
    folder: Path, known: Sequence[MemoryDocument], embedder: Embedder | None = None
) -> AsyncGenerator[LibraryMemory]:
    """A memory that holds these documents."""
    store = open_store("sqlite:///butler.db", data_dir=folder)
    memory = LibraryMemory(store, RealClock(), folder / "memory", MemorySettings(), embedder)
    try:
        for one in known:
            await memory.add(one)
        yield memory
    finally:
        await memory.stop()
        await store.close()


def gain(found: Sequence[Found], way: Callable[[Found], float], answer: str) -> float:
    """NDCG at ten: one passage is right, and counts less the further down it stands."""
    order = [one.source.source_id for one in sorted(found, key=lambda one: -way(one)) if way(one) > 0][:SHOWN]
    return 1 / math.log2(order.index(answer) + 2) if answer in order else 0.0


def is_in(group: str, question: Question) -> bool:
    return group in {"all", question.language, question.style}


def answered(found: Mapping[Question, Sequence[Found]]) -> tuple[float, float]:
    """Share of questions whose right source stands first and above the threshold, and of those rightly refused."""
    right: list[bool] = []
    refused: list[bool] = []
    for question, several in found.items():
        best = several[0] if several and several[0].relevance >= LEAST else None
        if question.answer is None:
            refused.append(best is None)
        else:
            right.append(best is not None and best.source.source_id == question.answer)
    return sum(right) / len(right), sum(refused) / len(refused)


async def measured() -> Mapping[Question, Sequence[Found]]:
    with tempfile.TemporaryDirectory() as folder:
        async with remembered(Path(folder), documents()) as memory:
            return {question: await memory.found(question.question) for question in questions(TEST)}


def main() -> None:
    found = asyncio.run(measured())
    gains = {
        name: {
            group: [gain(several, way, q.answer) for q, several in found.items() if q.answer and is_in(group, q)]
            for group in GROUPS
        }
        for name, way in WAYS.items()
    }
    means = {name: {group: sum(some) / len(some) for group, some in of.items()} for name, of in gains.items()}
    counts = {group: len(some) for group, some in gains["hybrid"].items()}
    print("NDCG at 10, on the half that nothing was tuned on\n")
    header = ("", *(f"{group} ({counts[group]})" for group in GROUPS))
    table(header, [[name, *(f"{of[group]:.3f}" for group in GROUPS)] for name, of in means.items()])
    right, refused = answered(found)
    print(f"\nright source first: {right:.1%} of those with an answer; refused: {refused:.1%} of those without\n")
    hybrid = means["hybrid"]["all"]
    ratios = {
        "ndcg_vs_bm25": round(hybrid / means["BM25 alone"]["all"], 3),
        "ndcg_vs_vectors": round(hybrid / means["vectors alone"]["all"], 3),
    }
    report("retrieval", ratios, {"ndcg": round(hybrid, 3), "answered": round(right, 3), "refused": round(refused, 3)})


if __name__ == "__main__":
    main()
