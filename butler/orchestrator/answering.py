"""Questions that a plan's steps have found passages for: the tailor words an answer, the sources stand under it.

Asked before a plan ends and outside of any transaction, so that a crash only repeats it. The tailor has no tools, and
what it says is never a record of anything done: an answer stands over its sources, or is not shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

import structlog

from butler.agents.tailor.wording import WORDINGS
from butler.contract.agent_ports import Guard, Memory, Tailor
from butler.contract.agents import (
    AgentFailure,
    GuardrailsInput,
    MemoryQuery,
    PlanStep,
    RetrievedContext,
    TailorInput,
    TailorOutput,
)
from butler.contract.errors import AgentErrorCode, ButlerError, ModelOutputError, ModelUnavailableError
from butler.contract.provenance import Origin
from butler.contract.tools import ToolInvoker
from butler.orchestrator.codes import SEARCH

log = structlog.get_logger(__name__)

MOST_CHUNKS = 16
WHOLE = 12
"""A document of no more passages is read as a whole; of a longer one its beginning, and what fits the question."""
BEGINNING = 2
READ = 200
EARLIER = 6
INSUFFICIENT = frozenset(
    sentence
    for one in WORDINGS.values()
    for sentence in (one.insufficient, one.no_amount, one.no_date, one.no_number, one.no_contact)
)
KEPT_CHUNKS, KEPT_OF_EACH = 8, 1_000
STRICTER = "Leave out whatever is private, secret or could harm somebody."
PERSONAS = ("Technical", "Executive", "General")
LENGTHS = {"brief": "Brief: at most three sentences.", "full": "In full, with every detail that matters."}


@dataclass(frozen=True, slots=True)
class Question:
    """What is asked of the passages that a plan has found."""

    text: str
    chunks: tuple[RetrievedContext, ...]
    steps: frozenset[int]
    """The steps that the answer stands for."""
    searched: PlanStep | None = None
    """The search of memory among them, which could be widened."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question, and what the tailor made of it: an answer, or why there is none."""

    question: Question
    output: TailorOutput | None
    code: AgentErrorCode | None = None
    quoted: Mapping[str, RetrievedContext] = field(default_factory=dict[str, RetrievedContext])
    """The passages that are cited, by their id."""
    said: str = ""
    """Where there is no answer, why, in a sentence of our own; never in a model's words."""


class Answering:
    """Finds out what is asked, gathers the passages, and asks the tailor."""

    def __init__(
        self,
        tools: ToolInvoker,
        *,
        tailor: Tailor | None = None,
        memory: Memory | None = None,
        guard: Guard | None = None,
        language: str = "en",
    ) -> None:
        """Without a `tailor` nothing is answered, and what was found is listed. `memory` has a document's passages."""
        self._tools, self._tailor, self._memory, self._guard = tools, tailor, memory, guard
        self._language = language

    async def answer(
        self, steps: Sequence[PlanStep], words: str, preferences: Mapping[str, Any], history: Sequence[str]
    ) -> Answered | None:
        """What the tailor says to the question of these steps; None where none was asked, or nothing was found."""
        if self._tailor is None or (question := await self._question(steps, words)) is None:
            return None
        given = TailorInput(
            user_query=question.text,
            context_chunks=list(question.chunks),
            persona=_persona(preferences),
            formatting_instructions=_formatting(preferences),
            language=str(preferences.get("language") or self._language),
            history=list(history[-EARLIER:]),
        )
        output = await self._asked(self._tailor, given)
        if isinstance(output, AgentFailure):
            log.info("not_answered", code=output.error_code)
            code = AgentErrorCode(output.error_code) if output.error_code in set(AgentErrorCode) else None
            late = code is AgentErrorCode.TIMEOUT
            said = f"I could not word an answer: {output.message.rstrip('.')}. This is what I found:" if late else ""
            return Answered(question, None, code, said=said)
        quoted = {chunk.chunk_id: chunk for chunk in question.chunks}
        if not output.citations:
            said = output.content if output.content in INSUFFICIENT else ""
            return Answered(question, None, AgentErrorCode.MEMORY_NO_RESULTS, said=said)
        if not all(_stands_in(one.text_snippet, quoted.get(one.chunk_id)) for one in output.citations):
            return Answered(question, None, AgentErrorCode.TAILOR_HALLUCINATION)
        return Answered(question, output, quoted={one.chunk_id: quoted[one.chunk_id] for one in output.citations})

    async def _asked(self, tailor: Tailor, given: TailorInput) -> TailorOutput | AgentFailure:
        """An answer that may be shown. What took too long is asked once more, what is unsafe once more strictly."""
        output = await _worded(tailor, given)
        if isinstance(output, AgentFailure) and output.error_code == AgentErrorCode.TIMEOUT and output.recoverable:
            output = await _worded(tailor, given)
        if isinstance(output, AgentFailure) or self._is_safe(output):
            return output
        stricter = " ".join(filter(None, (given.formatting_instructions, STRICTER)))
        output = await _worded(tailor, given.model_copy(update={"formatting_instructions": stricter}))
        if isinstance(output, AgentFailure) or self._is_safe(output):
            return output
        why = "the answer holds what I must not show"
        return AgentFailure(agent_id="guardrails", error_code=AgentErrorCode.GUARDRAIL_UNSAFE, message=why)

    def _is_safe(self, output: TailorOutput) -> bool:
        given = GuardrailsInput(content=output.content, check_type="output_safety")
        return self._guard is None or self._guard.check(given).is_safe

    async def _question(self, steps: Sequence[PlanStep], words: str) -> Question | None:
        chunks: list[RetrievedContext] = []
        told: list[PlanStep] = []
        asked: list[str] = []
        for step in steps:
            if found := await self._found(step):
                chunks += found
                told.append(step)
                asked += [question] if (question := _asked_by(step)) else []
        if not chunks:
            return None
        # Several questions of one request are one to the tailor: the request itself.
        text = asked[0] if asked and (len(set(asked)) == 1 or not words) else words
        searched = next((step for step in told if step.tool_call == SEARCH), None)
        return Question(text, _bounded(chunks), frozenset(step.step_id for step in told), searched)

    async def _found(self, step: PlanStep) -> list[RetrievedContext]:
        outcome = step.outcome or {}
        data: Mapping[str, Any] = outcome.get("data") or {}
        if not outcome.get("ok"):
            return []
        if step.tool_call == SEARCH:
            results = cast("list[Any]", data.get("results") or [])
            return [RetrievedContext.model_validate(one) for one in results]
        question, document = _asked_by(step), data.get("document")
        return await self._of_document(document, question) if question and document else []

    async def _of_document(self, document: Mapping[str, Any], question: str) -> list[RetrievedContext]:
        """A document's passages: all, or its beginning and those that fit; what was shown of it where none is kept."""
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


async def _worded(tailor: Tailor, given: TailorInput) -> TailorOutput | AgentFailure:
    """What the tailor says; a model that cannot be asked any more holds up no plan."""
    try:
        return await tailor.answer(given)
    except (ModelUnavailableError, ModelOutputError) as error:
        return AgentFailure(agent_id="tailor", error_code=AgentErrorCode.TIMEOUT, message=str(error))


def _asked_by(step: PlanStep) -> str:
    question = step.args.get("question")
    return question.strip() if isinstance(question, str) else ""


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


def _bounded(chunks: list[RetrievedContext]) -> tuple[RetrievedContext, ...]:
    """Each passage once, the first ones of many."""
    return tuple({one.chunk_id: one for one in chunks if one.content.strip()}.values())[:MOST_CHUNKS]


def _stands_in(snippet: str, chunk: RetrievedContext | None) -> bool:
    """Whether a citation says word for word what its source does."""
    return chunk is not None and bool(snippet.strip()) and _flat(snippet) in _flat(chunk.content)


def _flat(text: str) -> str:
    return " ".join(text.split())


def _persona(preferences: Mapping[str, Any]) -> Any:
    persona = preferences.get("persona")
    return persona if persona in PERSONAS else "General"


def _formatting(preferences: Mapping[str, Any]) -> str | None:
    name = preferences.get("name")
    parts = [LENGTHS.get(str(preferences.get("length")), ""), f"The reader is called {name}." if name else ""]
    return " ".join(filter(None, parts)) or None


def remembered(answered: Answered) -> list[RetrievedContext]:
    """The passages of an answer as the conversation keeps them, bounded; no planner ever reads them."""
    kept = answered.question.chunks[:KEPT_CHUNKS]
    return [chunk.model_copy(update={"content": chunk.content[:KEPT_OF_EACH]}) for chunk in kept]
