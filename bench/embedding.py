"""Butler's own embedder, as benches give it to a planner."""

import asyncio
from collections.abc import Sequence
from functools import cache
from typing import Any

from butler.agents.embedding.e5 import MultilingualE5


@cache
def _embedder() -> MultilingualE5:
    return MultilingualE5()


_KNOWN: dict[tuple[str, bool], list[float]] = {}


async def embed(texts: Sequence[str], *, query: bool) -> list[list[float]]:
    """Meets `Embed`; keeps what it has computed, since every case's planner asks for the same tools."""
    missing = [text for text in dict.fromkeys(texts) if (text, query) not in _KNOWN]
    if missing:
        vectors: Any = await asyncio.to_thread(_embedder().embed, missing, query=query)
        _KNOWN.update(zip(((text, query) for text in missing), vectors.tolist(), strict=True))
    return [_KNOWN[text, query] for text in texts]
