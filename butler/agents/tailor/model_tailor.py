"""Answers worded by a language model and checked by a program before anybody reads them.

The model sees the question and the chunks as quoted data, and has no tools. Whatever a chunk talks it into, the result
is sentences whose quotes occur in the sources, letter by letter.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import structlog

from butler.agents.errors import ModelOutputError, ModelRefusedError, ModelUnavailableError, TurnLimitError, code_of
from butler.agents.fallbacks import EMBEDDED, ActiveModel
from butler.agents.llm import Llm
from butler.agents.prompting import Prompts
from butler.agents.redacting import Redact, as_it_is, restored
from butler.agents.tailor.checks import Checked, check, confidence, follow_ups
from butler.agents.tailor.extractive_tailor import NOTHING, none
from butler.agents.tailor.form import AnswerForm
from butler.agents.tailor.layout import layout_of, set_out
from butler.agents.tailor.port import Tailor, TailorInput, TailorOutput
from butler.agents.tailor.wording import wording
from butler.contract.agents import AgentFailure, RetrievedContext
from butler.contract.errors import AgentErrorCode
from butler.contract.speech import phrase, say
from butler.guardrails.guard import Guard, GuardrailsInput

log = structlog.get_logger(__name__)

AGENT = "tailor"
PROMPTS = Prompts(Path(__file__).parent / "prompts")
MOST_CHUNKS = 16
LONGEST_CHUNK = 4_000
"""Characters of a chunk that a model sees; quotes are looked for in the whole chunk."""
HISTORY = 6
TONES = {
    "Technical": "exact and complete, with the terms of the sources",
    "Executive": "what matters, in one or two sentences",
    "General": "plain and friendly, no more words than needed",
}
UNBORNE = phrase("I could not word an answer that the sources bear out")
UNSAFE = phrase("the answer held something that must not be passed on, so I keep it to myself")


@dataclass(frozen=True, slots=True)
class _Refused:
    """A rejected answer: what was wrong with it, and the failure to return if the next one is rejected too."""

    wrong: tuple[str, ...]
    failure: AgentFailure


class ModelTailor:
    """Implements `Tailor`.

    `guard` checks an answer if nothing else does afterwards; `redact` takes personal data out before the model sees it;
    `otherwise` answers if the model cannot, and only if the owner configured it (`embedded` as the last fallback),
    which `answering` reports. A refusal and the turn's own limits are final.
    """

    def __init__(
        self,
        llm: Llm,
        *,
        guard: Guard | None = None,
        redact: Redact | None = None,
        otherwise: Tailor | None = None,
        answering: ActiveModel | None = None,
    ) -> None:
        self._llm, self._guard, self._redact = llm, guard, redact or as_it_is
        self._otherwise, self._answering = otherwise, answering

    async def answer(self, given: TailorInput) -> TailorOutput | AgentFailure:
        if not given.context_chunks:
            return none(given, wording(given.language).insufficient, NOTHING)
        try:
            first = await self._attempt(given, ())
            if isinstance(first, TailorOutput):
                return first
            second = await self._attempt(given, first.wrong)
        except (ModelRefusedError, TurnLimitError) as final:
            return _failure(code_of(final), str(final))
        except (ModelUnavailableError, ModelOutputError) as error:
            log.warning("tailor_model_failed", kind=type(error).__name__)
            if self._otherwise is None:
                unavailable = isinstance(error, ModelUnavailableError)
                return _failure(code_of(error), str(error), recoverable=unavailable)
            if self._answering is not None:
                await self._answering.by(EMBEDDED, error.detail)
            return await self._otherwise.answer(given)
        return second if isinstance(second, TailorOutput) else second.failure

    async def _attempt(self, given: TailorInput, wrong: Sequence[str]) -> TailorOutput | _Refused:
        """Ask the model once, and check the answer. `wrong` says why its last one was rejected."""
        chunks = {f"c{number}": chunk for number, chunk in enumerate(given.context_chunks[:MOST_CHUNKS], 1)}
        form = await self._ask(given, chunks, wrong)
        if not form.claims:
            return none(given, wording(given.language).insufficient, NOTHING)
        checked = check(form.claims, chunks, given.user_query)
        # A few unsupported sentences are left out; if most are unsupported, or none remains, the model is asked again.
        enough = checked.held and (wrong or len(checked.held) > len(checked.wrong))
        log.info("answer_checked", held=len(checked.held), wrong=len(checked.wrong))
        if not enough:
            return _Refused(checked.wrong, _failure(AgentErrorCode.TAILOR_HALLUCINATION, say(UNBORNE)))
        return self._finished(given, form, checked, retried=bool(wrong))

    async def _ask(
        self, given: TailorInput, chunks: Mapping[str, RetrievedContext], wrong: Sequence[str]
    ) -> AnswerForm:
        shown = [text for chunk in chunks.values() for text in (chunk.title, chunk.content[:LONGEST_CHUNK])]
        history = given.history[-HISTORY:]
        texts, placeholders = self._redact([given.user_query, *history, *shown])
        question, earlier, data = texts[0], texts[1 : 1 + len(history)], texts[1 + len(history) :]
        lines = [
            json.dumps(
                {
                    "chunk": name,
                    "title": title,
                    "page": chunk.page_number,
                    "date": chunk.at.date().isoformat() if chunk.at else None,
                    "text": text,
                },
                ensure_ascii=False,
            )
            for (name, chunk), title, text in zip(chunks.items(), data[::2], data[1::2], strict=True)
        ]
        rules = {
            "language": given.language,
            "tone": TONES[given.persona],
            "formatting": given.formatting_instructions,
            "wrong": wrong,
        }
        filled = await self._llm.fill(
            AnswerForm,
            instructions=PROMPTS.render("tailor.md", rules),
            prompt=PROMPTS.render("tailor_request.md", {"history": earlier, "chunks": lines, "question": question}),
        )
        return restored(filled, placeholders)

    def _finished(
        self, given: TailorInput, form: AnswerForm, checked: Checked, *, retried: bool
    ) -> TailorOutput | _Refused:
        content, citations = set_out(checked.held, layout_of(given.formatting_instructions))
        if self._guard is not None:
            verdict = self._guard.check(GuardrailsInput(content=content, check_type="output_safety"))
            if not verdict.is_safe:
                log.info("answer_unsafe", category=verdict.risk_category)
                return _Refused(
                    (f"unsafe: {verdict.risk_category}",), _failure(AgentErrorCode.GUARDRAIL_UNSAFE, say(UNSAFE))
                )
        cited = {citation.chunk_id for citation in citations}
        fit = max(chunk.relevance_score for chunk in given.context_chunks if chunk.chunk_id in cited)
        return TailorOutput(
            content=content,
            citations=citations,
            tone_used=given.persona,
            follow_up_suggestions=follow_ups(form.follow_ups),
            confidence_score=round(confidence(checked, retried) * max(0.0, min(1.0, fit)), 2),
        )


def _failure(code: AgentErrorCode, message: str, *, recoverable: bool = False) -> AgentFailure:
    return AgentFailure(agent_id=AGENT, error_code=code.value, message=message, recoverable=recoverable)
