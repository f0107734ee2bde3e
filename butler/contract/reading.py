"""What a tool that reads gives and keeps: one record of a document, its pieces for memory, and why it was not read."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import structlog

from butler.contract.agent_ports import Memory, MemoryDocument, MemoryKind, ReadDocument
from butler.contract.agents import AgentFailure
from butler.contract.door import failed
from butler.contract.errors import AgentErrorCode, ButlerError, IntegrationErrorCode
from butler.contract.integration import IntegrationResult

log = structlog.get_logger(__name__)

SHOWN = 3_000
"""Characters of a text that a message can show."""
CHILDREN_SHOWN = 20
CODE_OF: dict[str, IntegrationErrorCode] = {
    AgentErrorCode.CONNECTOR_AUTH: IntegrationErrorCode.AUTH_REQUIRED,
    AgentErrorCode.CONNECTOR_NOT_FOUND: IntegrationErrorCode.NOT_FOUND,
    AgentErrorCode.TIMEOUT: IntegrationErrorCode.TIMEOUT,
    AgentErrorCode.UNAVAILABLE: IntegrationErrorCode.UNAVAILABLE,
}
"""The rest are refusals: the same will come of it however often it is tried."""


def document_data(document: ReadDocument, *, remembered: bool = True) -> dict[str, Any]:
    """`{"document": {...}}` as reading tools give it; the text is clipped to what a message can show."""
    record = _record(document, SHOWN) | {"remembered": remembered}
    # Of what came with it only the beginnings: the rest is in memory.
    children = [_record(child, SHOWN // 10) for child in document.children[:CHILDREN_SHOWN]]
    return {"document": record | {"children": children}}


def _record(document: ReadDocument, shown: int) -> dict[str, Any]:
    text = text_of(document)
    return {
        "source_id": document.source_id,
        "title": document.title,
        "url": document.url,
        "media_type": document.media_type,
        "pages": document.output.total_pages,
        "chunks": len(document.output.chunks),
        "problems": list(document.output.problems),
        "skipped": list(document.skipped),
        "text": text[:shown],
        "clipped": len(text) > shown,
        "origin": document.origin.model_dump(mode="json"),
        "at": document.at.isoformat(),
        **({"suspicion": document.suspicion} if document.suspicion else {}),
    }


def text_of(document: ReadDocument) -> str:
    """All of its text, in order."""
    return "\n\n".join(chunk.content for chunk in document.output.chunks)


async def remember(
    memory: Memory, document: ReadDocument, kind: MemoryKind, person: str = "", at: datetime | None = None
) -> bool:
    """Give a document and all that came with it to memory, which decides what it keeps; False where that failed.

    `person` is the address of whom it is from, such as `mail:anna@friends.example`, and `at` when it came, where its
    source does not say when it was written.
    """
    try:
        for one in _all_of(document):
            await memory.add(memory_document(one, kind, person, at))
    except ButlerError as error:
        log.warning("not_remembered", kind=type(error).__name__)
        return False
    return True


def _all_of(document: ReadDocument) -> Iterator[ReadDocument]:
    yield document
    for child in document.children:
        yield from _all_of(child)


def memory_document(
    document: ReadDocument, kind: MemoryKind, person: str = "", at: datetime | None = None
) -> MemoryDocument:
    """A document as memory takes it. When it was read is not in it: the same again is the same, and costs nothing."""
    return MemoryDocument(
        source_id=document.source_id,
        kind=kind,
        title=document.title,
        chunks=tuple(document.output.chunks),
        origins=(document.origin,),
        url=document.url,
        at=document.written_at or at,
        person=person,
        problems=tuple(document.output.problems),
    )


def not_read(failure: AgentFailure) -> IntegrationResult:
    """A tool's failure that keeps the agent's code (as `provider_code`) and sentence."""
    code = CODE_OF.get(failure.error_code, IntegrationErrorCode.REJECTED)
    return failed(code, failure.message, provider_code=failure.error_code)
