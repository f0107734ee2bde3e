"""A hundred passages such as a person's memory holds, and questions about them, in four languages; all made up.

Half of the questions are for tuning, the other half for measuring. A third has no answer in the passages.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from butler.contract.agent_ports import MemoryDocument, MemoryKind
from butler.contract.agents import ParsedChunk
from butler.contract.provenance import Origin, Trust

FOLDER = Path(__file__).with_name("retrieval_data")
TUNING, TEST = "tuning", "test"


@dataclass(frozen=True, slots=True)
class Question:
    """`answer` is the id of the passage that answers it; None where none does.

    `style` is `para` (said otherwise than in the passage), `exact` (a name, number or code), `cross` (in another
    language) or `none`.
    """

    question: str
    answer: str | None
    language: str
    style: str
    half: str


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / name).read_text(encoding="utf-8").splitlines()]


def documents() -> list[MemoryDocument]:
    """Every passage as a document of one chunk; its source's id is the passage's."""
    return [document(one["id"], one["kind"], one["title"], one["text"]) for one in _lines("passages.jsonl")]


def document(source_id: str, kind: str, title: str, *texts: str) -> MemoryDocument:
    """A document of plain chunks."""
    chunks = tuple(
        ParsedChunk(
            chunk_id=f"{source_id}#{at}", content=text, chunk_index=at, page_number=None, layout_type="text", bbox=None
        )
        for at, text in enumerate(texts)
    )
    origins = (Origin(trust=Trust.UNTRUSTED, source=source_id),)
    return MemoryDocument(source_id=source_id, kind=MemoryKind(kind), title=title, chunks=chunks, origins=origins)


def questions(half: str = "", *, across: bool = False) -> Sequence[Question]:
    """Of one half, or all; `across`: those that ask in another language than the passage's, twenty for each pair."""
    name = "across.jsonl" if across else "questions.jsonl"
    return [one for line in _lines(name) if half in {"", (one := Question(**line)).half}]


def common(language: str, *, query: bool) -> list[str]:
    """Questions or passages that say the same in every language, about nothing that is asked for here."""
    return [one[language] for one in _lines("common.jsonl") if one["query"] == query]
