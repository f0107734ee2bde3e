"""How fast memory is searched, and what it misses: beside LanceDB as it comes, and numpy over every vector.

All hold the same chunks and are asked the same questions, in turns; each answer begins with computing the question's
vector by the same model. The chunks' own vectors are not computed, which would take hours: each is a real passage's
with noise, so that they lie as real ones do.
"""

import statistics
import time
import zlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bench.retrieval import remembered
from bench.retrieval_set import document, documents, questions
from butler.agents.embedding.e5 import MultilingualE5
from butler.agents.memory import agent
from butler.agents.memory.agent import LibraryMemory
from butler.agents.memory.words import words
from butler.contract.agents import MemoryQuery

OF_EACH = 250
"""Chunks of a document."""
WORDS = 60
"""Words of a chunk."""
NOISE = 0.9
TOP = 10
ASKED = 60
Vectors = NDArray[np.float32]


class Noisy:
    """Real vectors for questions; for chunks those of real passages with noise, which depends on the text alone."""

    dimensions = MultilingualE5.dimensions
    name = MultilingualE5.name

    def __init__(self) -> None:
        self.real = MultilingualE5()
        self._passages = self.real.embed([one.chunks[0].content for one in documents()], query=False)

    def embed(self, texts: Sequence[str], *, query: bool) -> Vectors:
        return self.real.embed(texts, query=True) if query else np.stack([self._noisy(text) for text in texts])

    def usual(self, vectors: Vectors, *, query: bool) -> Vectors:
        return self.real.usual(vectors, query=query)

    def _noisy(self, text: str) -> Vectors:
        random = np.random.default_rng(zlib.crc32(text.encode()))
        noise = random.normal(size=self.dimensions).astype(np.float32) * (NOISE / self.dimensions**0.5)
        found = self._passages[random.integers(len(self._passages))] + noise
        return found / np.linalg.norm(found)


@dataclass(frozen=True, slots=True)
class Searched:
    """Medians in milliseconds with the question's vector, and shares of the exact ten nearest that were found."""

    chunks: int
    butler_ms: float
    hybrid_ms: float
    vectors_ms: float
    numpy_ms: float
    embed_ms: float
    recall: float
    raw_recall: float
    adding_s: float


def texts(count: int) -> list[str]:
    """Chunks of words as passages hold them."""
    vocabulary = sorted({word for one in documents() for word in words(one.chunks[0].content)})
    random = np.random.default_rng(count)
    picked = random.integers(len(vocabulary), size=(count, WORDS))
    return [" ".join(vocabulary[at] for at in row) + f" {number}" for number, row in enumerate(picked)]


class Raw:
    """LanceDB as its documentation has it: a table, a vector index, a full text index, its own way to join both."""

    def __init__(self, folder: Path, embedder: Noisy) -> None:
        self._folder, self._embedder = folder, embedder
        self._table: Any = None

    async def fill(self, chunks: Sequence[str], vectors: Vectors) -> None:
        import lancedb  # noqa: PLC0415 - loads for seconds
        from lancedb.index import FTS, IvfSq  # noqa: PLC0415
        from lancedb.rerankers import RRFReranker  # noqa: PLC0415

        self._reranker = RRFReranker()
        database = await lancedb.connect_async(self._folder)
        rows = [{"number": n, "text": t, "vector": v} for n, (t, v) in enumerate(zip(chunks, vectors, strict=True))]
        self._table = await database.create_table("chunks", rows)
        await self._table.create_index("text", config=FTS(stem=False, remove_stop_words=False))
        await self._table.create_index("vector", config=IvfSq(distance_type="cosine"))
        await self._table.optimize()

    async def by_vector(self, question: str) -> list[int]:
        vector = self._embedder.embed([question], query=True)[0]
        query = self._table.query().nearest_to(vector).distance_type("cosine").limit(TOP)
        found = await query.select(["number", "text", "_distance"]).to_list()
        return [row["number"] for row in found]

    async def hybrid(self, question: str) -> list[int]:
        vector = self._embedder.embed([question], query=True)[0]
        query = self._table.query().nearest_to(vector).distance_type("cosine").nearest_to_text(question)
        found = await query.rerank(self._reranker).limit(TOP).to_list()
        return [row["number"] for row in found]


async def searched(folder: Path, count: int, embedder: Noisy) -> Searched:
    """Measure with so many chunks."""
    chunks = texts(count)
    vectors = np.concatenate(
        [embedder.embed([f"d{n // OF_EACH}\n{text}"], query=False) for n, text in enumerate(chunks)]
    )
    began = time.perf_counter()
    agent.NICE = 0  # taking in is waited for here
    several = [
        document(f"d{at // OF_EACH}", "document", f"d{at // OF_EACH}", *chunks[at : at + OF_EACH])
        for at in range(0, count, OF_EACH)
    ]
    raw = Raw(folder / "raw", embedder)
    async with remembered(folder, several, embedder) as memory:
        adding = time.perf_counter() - began
        await raw.fill(chunks, vectors)
        asked = [one.question for one in questions() if one.answer][:ASKED]
        return await _measured(memory, raw, vectors, asked, embedder, adding)


async def _measured(
    memory: LibraryMemory, raw: Raw, vectors: Vectors, asked: Sequence[str], embedder: Noisy, adding: float
) -> Searched:
    async def butler(question: str) -> None:
        await memory.search(MemoryQuery(query_text=question, min_relevance_score=0.0))

    async def exact(question: str) -> list[int]:
        near = vectors @ embedder.embed([question], query=True)[0]
        best = np.argpartition(-near, TOP)[:TOP]
        return best[np.argsort(-near[best])].tolist()

    async def embedding(question: str) -> None:
        embedder.embed([question], query=True)

    ways: list[Callable[[str], Awaitable[Any]]] = [butler, raw.hybrid, raw.by_vector, exact, embedding]
    for way in ways:
        await way(asked[0])
    times: list[list[float]] = [[] for _ in ways]
    for question in asked:
        for at, way in enumerate(ways):
            began = time.perf_counter()
            await way(question)
            times[at].append((time.perf_counter() - began) * 1000)
    medians = [statistics.median(several) for several in times]
    recall = raw_recall = 0.0
    for question in asked:
        right = set(await exact(question))
        found = await memory.found(question)
        numbers = {int(one.source.source_id[1:]) * OF_EACH + one.context().metadata["chunk_index"] for one in found}
        recall += len(right & numbers) / TOP
        raw_recall += len(right & set(await raw.by_vector(question))) / TOP
    return Searched(len(vectors), *medians, recall / len(asked), raw_recall / len(asked), adding)
