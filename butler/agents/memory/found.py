"""The results of a search, as the port returns them: with relevance, source and origins."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from butler.agents.memory.index import Hit
from butler.agents.memory.relevance import Asked, Signs, relevance, signs
from butler.contract.agents import AgentFailure, ParsedChunk, RetrievedContext
from butler.contract.errors import AgentErrorCode
from butler.contract.provenance import Origin, Trust
from butler.store.queries.memory import SourceRow

SUREST: Final = 0.9999
"""The highest relevance of a search result: 1 is for sources that the owner named without a search."""


@dataclass(frozen=True, slots=True)
class Found:
    """A chunk found by a search, with its source and relevance."""

    hit: Hit
    source: SourceRow
    signs: Signs
    relevance: float

    def context(self) -> RetrievedContext:
        """Return the chunk with the origins of its source; without any, it is untrusted."""
        chunk, source = ParsedChunk.model_validate_json(self.hit.chunk), self.source
        return RetrievedContext(
            chunk_id=chunk.chunk_id,
            content=chunk.content,
            source_id=source.source_id,
            source_url=source.url,
            relevance_score=min(round(self.relevance, 4), SUREST),
            metadata={
                "account": source.account,
                "person": source.person,
                "chunk_index": chunk.chunk_index,
                "layout_type": chunk.layout_type,
                "headings": chunk.headings,
            },
            title=source.title,
            kind=source.kind.value,
            page_number=chunk.page_number,
            at=source.at,
            origins=list(source.origins) or [Origin(trust=Trust.UNTRUSTED, source=source.source_id)],
        )


def ranked(question: Asked, hits: Sequence[tuple[Hit, SourceRow]]) -> list[Found]:
    """Rank candidates by their relevance to a question, the best first."""
    best = max((hit.score for hit, _ in hits), default=0.0) or 1.0
    found: list[Found] = []
    for hit, source in hits:
        seen = signs(question, hit, best)
        found.append(Found(hit, source, seen, relevance(seen)))
    return sorted(found, key=lambda one: -one.relevance)


def failure(message: str, **details: Any) -> AgentFailure:
    """Return a failure with the reason for having no result."""
    return AgentFailure(
        agent_id="memory",
        error_code=AgentErrorCode.MEMORY_NO_RESULTS.value,
        message=message,
        recoverable=True,
        details=details or None,
    )
