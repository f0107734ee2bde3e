"""Butler's own embedder, as benches give it to a planner."""

import asyncio
from collections.abc import Sequence
from functools import cache
from typing import Any

from butler.agents.embedding.e5 import MultilingualE5


@cache
def _embedder() -> MultilingualE5:
    return MultilingualE5()


async def embed(texts: Sequence[str], *, query: bool) -> list[list[float]]:
    """Meets `Embed`."""
    vectors: Any = await asyncio.to_thread(_embedder().embed, texts, query=query)
    return vectors.tolist()
