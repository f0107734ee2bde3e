"""The results of reading tools: one record of a document, its pieces for memory, and why it was not read."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import structlog

from butler.contract.agent_ports import Memory, MemoryDocument, MemoryKind, ReadDocument
from butler.contract.agents import AgentFailure
from butler.contract.door import failed
from butler.contract.errors import AgentErrorCode, ButlerError, IntegrationErrorCode
from butler.contract.integration import IntegrationResult
from butler.contract.reasons import reasons_to_text

log = structlog.get_logger(__name__)

SHOWN = 3_000
"""The most characters of a text that a message can show."""
CHILDREN_SHOWN = 20
CODE_OF: dict[str, IntegrationErrorCode] = {
    AgentErrorCode.CONNECTOR_AUTH: IntegrationErrorCode.AUTH_REQUIRED,
    AgentErrorCode.CONNECTOR_NOT_FOUND: IntegrationErrorCode.NOT_FOUND,
    AgentErrorCode.TIMEOUT: IntegrationErrorCode.TIMEOUT,
    AgentErrorCode.UNAVAILABLE: IntegrationErrorCode.UNAVAILABLE,
}
"""All other codes are refusals: a retry gives the same result."""


DOCUMENT_FACTS = ("document.source_id", "document.title", "document.text")
"""What later steps can use of the result of a reading tool."""


def document_data(document: ReadDocument, *, remembered: bool = True) -> dict[str, Any]:
    """Return `{"document": {...}}` as reading tools do; clip the text to what a message can show."""
    record = _record(document, SHOWN) | {"remembered": remembered}
    # Attachments are included with their beginnings only: the rest is in memory.
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
        **({"suspicion": reasons_to_text(document.suspicion)} if document.suspicion else {}),
    }


def text_of(document: ReadDocument) -> str:
    """Return a document's whole text, in order."""
    return "\n\n".join(chunk.content for chunk in document.output.chunks)


async def remember(
    memory: Memory, document: ReadDocument, kind: MemoryKind, person: str = "", at: datetime | None = None
) -> bool:
    """Store a document and its attachments in memory, which decides what it keeps; return False if that failed.

    `person` is the sender's address, such as `mail:anna@friends.example`. `at` is when the document came, used if its
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
    """Return a document for memory. The time of reading is left out, so that storing the same again costs nothing."""
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
    """Return a tool's failure with the agent's code (as `provider_code`), cause and sentence."""
    cause = str((failure.details or {}).get("cause", ""))
    code = CODE_OF.get(failure.error_code, IntegrationErrorCode.REJECTED)
    return failed(code, failure.message, provider_code=failure.error_code, cause=cause)
