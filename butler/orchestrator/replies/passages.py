"""Gathers the passages of what a step found, for the tailor's answers and for the reader."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, cast

import sqlalchemy as sa
import structlog

from butler.contract.agent_ports import Memory
from butler.contract.agents import AgentFailure, MemoryQuery, PlanStep, RetrievedContext
from butler.contract.errors import ButlerError
from butler.contract.found_items import Item, items
from butler.contract.provenance import Origin
from butler.contract.speech import say
from butler.orchestrator.replies.failures import SEARCH
from butler.orchestrator.replies.listed_lines import ListedLines
from butler.orchestrator.results.mail_readings import READER
from butler.store.conversation import ConversationState
from butler.store.queries import conversations
from butler.store.queries.plans import PlanRow

log = structlog.get_logger(__name__)

MOST_CHUNKS = 16
WHOLE = 12
"""A document of at most this many passages is read whole; of a longer one, its beginning and what fits."""
BEGINNING = 2
READ = 200
SHOWN_BY = "shown_by"
"""The tool that shows what a passage was read from, in its metadata."""
KEPT_OF_EACH = 1_000
"""Most characters of a passage that are stored with a conversation."""


class PassageCollector:
    """Gathers passages; `memory`, if there is one, holds those of documents."""

    def __init__(self, lists: ListedLines, memory: Memory | None = None) -> None:
        self._lists, self._memory = lists, memory

    async def of(self, step: PlanStep, question: str) -> list[RetrievedContext]:
        """Return the passages of a step for a question; empty if it found no text."""
        outcome = step.outcome or {}
        data: Mapping[str, Any] = outcome.get("data") or {}
        if not outcome.get("ok"):
            return []
        if step.tool_call == SEARCH:
            return passages_of(step)
        if isinstance(document := data.get("document"), Mapping):
            return await self.of_document(cast("Mapping[str, Any]", document), question)
        origins = [Origin.model_validate(one) for one in outcome.get("origins") or ()]
        written = [_written(item, origins, step, outcome) for item in items(data) if _text(item)]
        return written or self._lists.of(step)

    async def of_document(self, document: Mapping[str, Any], question: str) -> list[RetrievedContext]:
        """Return a document's passages: all, or its beginning and those that fit; else the text that was shown."""
        source_id = str(document["source_id"])
        children = [str(one["source_id"]) for one in cast("list[Any]", document.get("children") or [])]
        try:
            kept = [] if self._memory is None else list(await self._memory.read(source_id, READ))
            fitting = await self._fitting([source_id, *children], question) if len(kept) > WHOLE or children else []
        except ButlerError as error:
            log.warning("document_not_in_memory", kind=type(error).__name__)
            kept, fitting = [], []
        if not kept and not fitting:
            return [_passage(document, "", str(document.get("text") or ""), None)]
        known = {one.chunk_id for one in fitting}
        beginning = kept if len(kept) <= WHOLE else kept[:BEGINNING]
        own = [_passage(document, one.chunk_id, one.content, one.page_number) for one in beginning]
        return [*(one for one in own if one.chunk_id not in known), *fitting]

    async def _fitting(self, source_ids: list[str], question: str) -> list[RetrievedContext]:
        if self._memory is None:
            return []
        query = MemoryQuery(
            query_text=question, top_k=WHOLE, min_relevance_score=0.0, filters={"source_id": source_ids}
        )
        output = await self._memory.search(query)
        return [] if isinstance(output, AgentFailure) else output.results


def passages_of(step: PlanStep) -> list[RetrievedContext]:
    """Return what a search of memory found; empty for any other step, and for a failed one."""
    outcome = step.outcome or {}
    if step.tool_call != SEARCH or not outcome.get("ok"):
        return []
    data: Mapping[str, Any] = outcome.get("data") or {}
    return [RetrievedContext.model_validate(one) for one in cast("list[Any]", data.get("results") or [])]


def gathered(connection: sa.Connection, plan: PlanRow, found: Sequence[RetrievedContext], now: datetime) -> None:
    """Add what a step found to the conversation's context, if the step still belongs to its turn."""

    def change(state: ConversationState) -> None:
        if state.turn == plan.inbound_id:
            state.accumulated_context = kept([*state.accumulated_context, *found])

    conversations.update(connection, plan.session_id, change, now)


def kept(chunks: Sequence[RetrievedContext]) -> list[RetrievedContext]:
    """Return passages as a conversation keeps them, each shortened; no planner ever reads them."""
    return [one.model_copy(update={"content": one.content[:KEPT_OF_EACH]}) for one in bounded(chunks)]


def bounded(chunks: Sequence[RetrievedContext]) -> tuple[RetrievedContext, ...]:
    """Return each passage once, at most `MOST_CHUNKS`."""
    return tuple({one.chunk_id: one for one in chunks if one.content.strip()}.values())[:MOST_CHUNKS]


def _passage(document: Mapping[str, Any], chunk_id: str, content: str, page: int | None) -> RetrievedContext:
    source_id = str(document["source_id"])
    return RetrievedContext(
        chunk_id=chunk_id or f"{source_id}#0",
        content=content,
        source_id=source_id,
        source_url=document.get("url"),
        relevance_score=1.0,
        metadata={},
        title=str(document.get("title") or ""),
        page_number=page,
        at=document.get("at"),
        origins=[Origin.model_validate(one) for one in document.get("origins") or [document.get("origin")] if one],
    )


def _written(item: Item, origins: list[Origin], step: PlanStep, outcome: Mapping[str, Any]) -> RetrievedContext:
    """Return a mail, a message or a note as one passage."""
    shows = {SHOWN_BY: step.tool_call} if step.tool_call.endswith(f"_{READER}") else {}
    subject = " ".join(str(item.data.get("subject") or "").split())
    return RetrievedContext(
        chunk_id=f"{item.key}#0",
        content="\n\n".join(filter(None, (subject, _text(item)))),
        source_id=item.key,
        source_url=None,
        relevance_score=1.0,
        metadata={**shows, "account": str(outcome.get("account") or "")},
        title=subject or _title(item),
        at=item.at,
        origins=origins,
    )


def _title(item: Item) -> str:
    """Return what a passage without a subject is called: a thing's own name, or whoever wrote it."""
    data = item.data
    if data.get("note_id"):
        return say("your note")
    if data.get("outgoing"):
        return say("you")
    return str(data.get("title") or data.get("name") or data.get("sender_name") or "")


def _text(item: Item) -> str:
    data = item.data
    return str(data.get("text") or data.get("body") or data.get("content") or data.get("snippet") or "").strip()
