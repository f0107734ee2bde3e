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
from dataclasses import asdict, dataclass
from pathlib import Path

from bench.machine import report, table
from bench.retrieval_set import TEST, Question, documents, questions
from butler.agents.embedding.embedder import Embedder
from butler.agents.memory.agent import LibraryMemory
from butler.agents.memory.found import Found
from butler.agents.tailor.extractive_tailor import ExtractiveTailor
from butler.agents.tailor.port import TailorInput, TailorOutput
from butler.clock import RealClock
from butler.contract.agent_ports import MemoryDocument
from butler.contract.agents import MemoryQuery
from butler.store.open import open_store
from config.agents import MemorySettings

SHOWN = 10
GIVEN = MemoryQuery(query_text="").top_k
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


@dataclass(frozen=True, slots=True)
class Answered:
    """Shares: of questions with an answer, those whose right source is given, or stands first; of others, refused.

    `right` is of what is given at all: how often the first passage is the right one.
    """

    given: float
    first: float
    refused: float
    right: float


def answered(found: Mapping[Question, Sequence[Found]], least: float = LEAST) -> Answered:
    """With the number of passages, and mostly the threshold, that hold by default."""
    given: list[bool] = []
    first: list[bool] = []
    refused: list[bool] = []
    for question, several in found.items():
        sources = [one.source.source_id for one in several[:GIVEN] if one.relevance >= least]
        if question.answer is None:
            refused.append(not sources)
        else:
            given.append(question.answer in sources)
            first.append(question.answer in sources[:1])
    something = sum(any(one.relevance >= least for one in several[:1]) for several in found.values())
    return Answered(*(sum(shares) / len(shares) for shares in (given, first, refused)), sum(first) / max(something, 1))


@dataclass(frozen=True, slots=True)
class Told:
    """Shares: of questions with an answer, those whose answer quotes the right source first, or among others that it
    quotes; of questions without one, those that are refused.
    """

    first: float
    quoted: float
    refused: float


async def told(found: Mapping[Question, Sequence[Found]]) -> Told:
    """What memory and the tailor that needs no model say together, as a person reads it."""
    first: list[bool] = []
    quoted: list[bool] = []
    refused: list[bool] = []
    for question, several in found.items():
        chunks = [one.context() for one in several[:GIVEN] if one.relevance >= LEAST]
        given = TailorInput(user_query=question.question, context_chunks=chunks, language=question.language)
        output = await ExtractiveTailor().answer(given) if chunks else None
        cited = [one.source_id for one in output.citations] if isinstance(output, TailorOutput) else []
        if question.answer is None:
            refused.append(not cited)
        else:
            first.append(question.answer in cited[:1])
            quoted.append(question.answer in cited)
    return Told(*(sum(shares) / max(len(shares), 1) for shares in (first, quoted, refused)))


async def measured() -> tuple[Mapping[Question, Sequence[Found]], Mapping[Question, Sequence[Found]]]:
    """What is found for the questions, and for those in another language than the passage's."""
    with tempfile.TemporaryDirectory() as folder:
        async with remembered(Path(folder), documents()) as memory:
            plain = {question: await memory.found(question.question) for question in questions(TEST)}
            across = {question: await memory.found(question.question) for question in questions(TEST, across=True)}
            return plain, across


def main() -> None:
    found, across = asyncio.run(measured())
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
    shares = answered(found)
    right = f"right source given: {shares.given:.1%} of those with an answer, first: {shares.first:.1%}"
    print(f"\n{right}; refused: {shares.refused:.1%} of those without")
    print(f"of passages that come first with {LEAST:g} or more, right: {shares.right:.1%}")
    answers, others = asyncio.run(told(found)), asyncio.run(told(across))
    told_right = f"answer quotes the right source: {answers.quoted:.1%}, first: {answers.first:.1%}"
    print(f"{told_right}; refused: {answers.refused:.1%}")
    in_another = f"asked in another language than the source's ({len(across)}): answer quotes it: {others.quoted:.1%}"
    print(f"{in_another}, first: {others.first:.1%}\n")
    hybrid = means["hybrid"]["all"]
    ratios = {
        "ndcg_vs_bm25": round(hybrid / means["BM25 alone"]["all"], 3),
        "ndcg_vs_vectors": round(hybrid / means["vectors alone"]["all"], 3),
    }
    figures = {name: round(share, 3) for name, share in asdict(shares).items()}
    figures |= {f"told_{name}": round(share, 3) for name, share in asdict(answers).items()}
    figures |= {"told_across": round(others.quoted, 3), "told_across_first": round(others.first, 3)}
    report("retrieval", ratios, {"ndcg": round(hybrid, 3)} | figures)


if __name__ == "__main__":
    main()
