"""How an answer is laid out: claims with the numbers of their sources, as prose, as a list, or as JSON."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from butler.agents.tailor.port import SourceCitation
from butler.contract.agents import RetrievedContext


class Layout(StrEnum):
    """How claims are joined."""

    PROSE = "prose"
    LIST = "list"
    JSON = "json"


_LIST = re.compile(r"\b(?:list|bullets?|liste|stichpunkte|aufzählung|puces|viñetas|lista)\b", re.IGNORECASE)
_JSON = re.compile(r"\bjson\b", re.IGNORECASE)
_BRIEF = re.compile(r"\b(?:brief|short|concise|one sentence|kurz|knapp|bref|court|breve|corto)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement of the answer with its verbatim evidence."""

    text: str
    citations: tuple[SourceCitation, ...]


def layout_of(instructions: str | None) -> Layout:
    """Return the layout that the formatting instructions ask for."""
    if _JSON.search(instructions or ""):
        return Layout.JSON
    return Layout.LIST if _LIST.search(instructions or "") else Layout.PROSE


def wants_brief(instructions: str | None) -> bool:
    """Return whether the formatting instructions ask for a short answer."""
    return _BRIEF.search(instructions or "") is not None


def cite(chunk: RetrievedContext, snippet: str) -> SourceCitation:
    """Cite the chunk's own words."""
    return SourceCitation(
        source_id=chunk.source_id,
        chunk_id=chunk.chunk_id,
        text_snippet=snippet,
        url=chunk.source_url,
        title=chunk.title,
        page_number=chunk.page_number,
    )


def by_place(citations: Iterable[SourceCitation]) -> list[list[SourceCitation]]:
    """Group citations by page of a source, in the order of their first use: `[n]` is the n-th."""
    places: dict[tuple[str, int | None], list[SourceCitation]] = {}
    for one in citations:
        places.setdefault((one.source_id, one.page_number), []).append(one)
    return list(places.values())


def set_out(claims: Sequence[Claim], layout: Layout, between: str = " ") -> tuple[str, list[SourceCitation]]:
    """Return the answer's text with `[n]` after each claim, and its citations, of which `[n]` is the n-th place.

    `between` separates claims of prose.
    """
    citations = list({_key(one): one for claim in claims for one in claim.citations}.values())
    numbers = {_key(one): number for number, place in enumerate(by_place(citations), 1) for one in place}
    cited = [(claim.text, sorted({numbers[_key(one)] for one in claim.citations})) for claim in claims]
    if layout is Layout.JSON:
        answer = {"answer": [{"text": text, "sources": sources} for text, sources in cited]}
        return json.dumps(answer, ensure_ascii=False), citations
    lines = [f"{text} {''.join(f'[{number}]' for number in sources)}".strip() for text, sources in cited]
    if layout is Layout.LIST:
        return "\n".join(f"- {line}" for line in lines), citations
    return between.join(lines), citations


def _key(citation: SourceCitation) -> tuple[str, str]:
    return citation.chunk_id, citation.text_snippet
