"""A memory for tests: the real index and the real rows, with an embedder that knows words only and costs nothing."""

import hashlib
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from butler.agents.memory.agent import LibraryMemory
from butler.agents.memory.words import words
from butler.contract.agent_ports import MemoryDocument, MemoryKind
from butler.contract.agents import ParsedChunk
from butler.contract.provenance import Origin
from butler.store.store import Store
from config.agents import MemorySettings
from tests.support.context import TurnedClock

OWN = (Origin.owner("notes"),)


class WordEmbedder:
    """Texts are near one another where they share words. `texts` is what it was asked for."""

    name = "words"
    dimensions = 512

    def __init__(self) -> None:
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str], *, query: bool) -> NDArray[np.float32]:
        self.texts.extend(texts)
        found = np.zeros((len(texts), self.dimensions), np.float32)
        for row, text in zip(found, texts, strict=True):
            for word in words(text):
                row[int(hashlib.sha256(word.encode()).hexdigest(), 16) % self.dimensions] += 1
        return found / np.maximum(np.linalg.norm(found, axis=1, keepdims=True), 1e-9)

    def usual(self, vectors: NDArray[np.float32], *, query: bool) -> NDArray[np.float32]:
        return np.full(len(vectors), 0.35, np.float32)


def library(store: Store, folder: Path, embedder: WordEmbedder | None = None, **settings: object) -> LibraryMemory:
    kept = MemorySettings.model_validate(settings)
    return LibraryMemory(store, TurnedClock(), folder / "memory", kept, embedder or WordEmbedder())


def document(
    source_id: str,
    *texts: str,
    kind: MemoryKind = MemoryKind.NOTE,
    title: str = "",
    at: datetime | None = None,
    origins: tuple[Origin, ...] = OWN,
    **more: str,
) -> MemoryDocument:
    chunks = tuple(
        ParsedChunk(
            chunk_id=f"{source_id}#{n}", content=text, chunk_index=n, page_number=n + 1, layout_type="text", bbox=None
        )
        for n, text in enumerate(texts)
    )
    return MemoryDocument(
        source_id=source_id, kind=kind, title=title or source_id, chunks=chunks, origins=origins, at=at, **more
    )
