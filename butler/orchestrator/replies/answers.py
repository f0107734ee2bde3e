"""Answers a question from the passages that a plan's steps found: the tailor words it, with its sources below.

Asked before a plan ends and outside of any transaction, so that a crash only repeats it. The tailor has no tools, and
its words are never a record of anything done: an answer stands over its sources, or is not shown.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from zoneinfo import ZoneInfo

import structlog

from butler.agents.errors import ModelOutputError, ModelUnavailableError, code_of
from butler.agents.languages import language_of
from butler.agents.tailor.extractive_tailor import ExtractiveTailor
from butler.agents.tailor.port import Tailor, TailorInput, TailorOutput
from butler.agents.tailor.wording import WORDINGS
from butler.contract.agent_ports import Memory
from butler.contract.agents import AgentFailure, PlanStep, RetrievedContext
from butler.contract.errors import AgentErrorCode
from butler.contract.names import Direction
from butler.contract.ports import Clock
from butler.contract.speech import phrase, say, say_error
from butler.guardrails.guard import Guard, GuardrailsInput
from butler.orchestrator.planning.owner_questions import believable, others_speak
from butler.orchestrator.planning.references import sources_in
from butler.orchestrator.replies.failures import SEARCH
from butler.orchestrator.replies.listed_lines import LISTED, ListedLines
from butler.orchestrator.replies.passages import PassageCollector, bounded
from butler.orchestrator.replies.quarantine import Quarantine, injected
from butler.orchestrator.results.mail_readings import read_for
from butler.services import RenderingTools
from butler.store.conversation import ConversationState

log = structlog.get_logger(__name__)

EARLIER = 6
INSUFFICIENT = frozenset(
    sentence
    for one in WORDINGS.values()
    for sentence in (one.insufficient, one.no_amount, one.no_date, one.no_number, one.no_contact)
)
STRICTER = "Leave out whatever is private, secret or could harm somebody."
NOT_TOLD = phrase("You have not told me that. Others' messages speak of it, but I don't take their word for it.")
UNTOLD = phrase("You have not told me that.")
READS_LIKE_ORDERS = phrase("what it would be made of reads like instructions to an assistant")
NOT_CITED = phrase("an answer cited what does not stand in its sources")
PASSING = frozenset({AgentErrorCode.TIMEOUT, AgentErrorCode.UNAVAILABLE})
"""Failures after which the tailor is asked once more."""
NOT_WORDED = PASSING | {AgentErrorCode.REFUSED}
"""Failures that prevent an answer, regardless of what was found."""
PERSONAS = ("Technical", "Executive", "General")
LENGTHS = {"brief": "Brief: at most three sentences.", "full": "In full, with every detail that matters."}


@dataclass(frozen=True, slots=True)
class Question:
    """A question about the passages that a plan found."""

    text: str
    chunks: tuple[RetrievedContext, ...]
    """The passages that may answer it: none if all that was found are others' words about the owner."""
    steps: frozenset[int]
    """The steps whose results the answer replaces."""
    others_speak: bool = True
    """Whether some of the passages are by strangers."""
    searched: PlanStep | None = None
    """The search of memory among the steps, which could be widened."""
    found_by: tuple[PlanStep, ...] = ()
    """The steps that found the passages, with the guardrails' verdicts on them."""
    said: str = ""
    """The owner's words, in whose language a model answers if they prefer none."""
    left_unread: tuple[int, int] = (0, 0)
    """Of a search that found more mails than were read, how many were read, and how many it found."""


@dataclass(frozen=True, slots=True)
class Answered:
    """A question with the tailor's answer, or why there is none."""

    question: Question
    output: TailorOutput | None
    failure: AgentFailure | None = None
    """The failure that prevented an answer; the owner reads `said`, or the text of its code."""
    quoted: Mapping[str, RetrievedContext] = field(default_factory=dict[str, RetrievedContext])
    """The cited passages, by their id."""
    said: str = ""
    """Why there is no answer, in a sentence of our own; never in a model's words."""
    apart: tuple[RetrievedContext, ...] = ()
    """The passages that no language model was given, because their source reads like an attack."""
    in_its_words: bool = False
    """Whether quarantined passages were answered from after all, in their own sentences."""

    @property
    def steps(self) -> frozenset[int]:
        """The steps that need no showing: without an answer, a list is shown as it is."""
        listed = {int(chunk.metadata.get(LISTED, 0)) for chunk in self.question.chunks}
        return self.question.steps if self.output is not None else self.question.steps - listed

    @property
    def code(self) -> AgentErrorCode | None:
        """The code of the reason for no answer, if it is one of the agents' codes."""
        given = self.failure.error_code if self.failure is not None else ""
        return AgentErrorCode(given) if given in set(AgentErrorCode) else None


class QuestionAnswering:
    """Finds the question, gathers the passages, and asks the tailor."""

    def __init__(
        self,
        tools: RenderingTools,
        zone: ZoneInfo,
        clock: Clock,
        *,
        tailor: Tailor | None = None,
        memory: Memory | None = None,
        guard: Guard | None = None,
        language: str = "en",
    ) -> None:
        """Without a `tailor`, what was found is listed instead. `memory` holds a document's passages."""
        self._tools, self._tailor, self._guard = tools, tailor, guard
        self._language = language
        self.gathering, self.quarantine = PassageCollector(ListedLines(tools, zone, clock), memory), Quarantine(guard)

    async def asked(self, steps: Sequence[PlanStep], words: str) -> Question | None:
        """Return the question of these steps; None without a question, a passage or a tailor."""
        return await self._question(steps, words) if self._tailor is not None else None

    async def in_conversation(
        self, question: Question, state: ConversationState, preferences: Mapping[str, Any]
    ) -> Answered:
        """Do the same as `of_question`, with the passages and the history of the conversation."""
        over = replace(question, chunks=tuple(state.accumulated_context))
        return await self.of_question(over, preferences, [message.content for message in state.history])

    async def of_question(
        self, question: Question, preferences: Mapping[str, Any], history: Sequence[str] = ()
    ) -> Answered:
        """Ask the tailor about the passages, and compare every citation with its passage."""
        if self._tailor is None:
            return Answered(question, None)
        if not question.chunks:
            text = say(NOT_TOLD if question.others_speak else UNTOLD)
            return Answered(question, None, _failed("memory", AgentErrorCode.MEMORY_NO_RESULTS, text), said=text)
        bad = await self.quarantine.set_apart(question.found_by, question.chunks)
        apart = tuple(chunk for chunk in question.chunks if chunk.source_id in bad)
        if not apart:
            return await self._answered(self._tailor, question, preferences, history)
        good = replace(question, chunks=tuple(chunk for chunk in question.chunks if chunk.source_id not in bad))
        if good.chunks and not isinstance(self._tailor, ExtractiveTailor):
            answered = await self._answered(self._tailor, good, preferences, history)
            if answered.output is not None:
                return replace(answered, apart=apart)
        answered = await self._answered(ExtractiveTailor(), question, preferences, history)
        failure = injected(say(READS_LIKE_ORDERS)) if answered.failure is not None else None
        return replace(answered, failure=failure, said="", apart=apart, in_its_words=True)

    async def _answered(
        self, tailor: Tailor, question: Question, preferences: Mapping[str, Any], history: Sequence[str]
    ) -> Answered:
        given = TailorInput(
            user_query=question.text,
            context_chunks=list(question.chunks),
            persona=_persona(preferences),
            formatting_instructions=_formatting(preferences),
            language=str(preferences.get("language") or _spoken(tailor, question) or self._language),
            history=list(history[-EARLIER:]),
        )
        output = await self._asked(tailor, given)
        if isinstance(output, AgentFailure):
            log.info("not_answered", code=output.error_code)
            why = output.message.rstrip(".")
            text = say("I could not word an answer: {why}. This is what I found:", why=why)
            return Answered(question, None, output, said=text if output.error_code in NOT_WORDED else "")
        quoted = {chunk.chunk_id: chunk for chunk in question.chunks}
        if not output.citations:
            text = output.content if output.content in INSUFFICIENT else ""
            return Answered(question, None, _failed("tailor", AgentErrorCode.MEMORY_NO_RESULTS, text), said=text)
        if not all(_stands_in(one.text_snippet, quoted.get(one.chunk_id)) for one in output.citations):
            return Answered(question, None, _failed("tailor", AgentErrorCode.TAILOR_HALLUCINATION, say(NOT_CITED)))
        return Answered(question, output, quoted={one.chunk_id: quoted[one.chunk_id] for one in output.citations})

    async def _asked(self, tailor: Tailor, given: TailorInput) -> TailorOutput | AgentFailure:
        """Return a showable answer. Repeat once after a transient failure, and once more strictly if unsafe."""
        output = await _written_answer(tailor, given)
        if isinstance(output, AgentFailure) and output.error_code in PASSING and output.recoverable:
            output = await _written_answer(tailor, given)
        if isinstance(output, AgentFailure) or self._is_safe(output, given):
            return output
        stricter = " ".join(filter(None, (given.formatting_instructions, STRICTER)))
        output = await _written_answer(tailor, given.model_copy(update={"formatting_instructions": stricter}))
        if isinstance(output, AgentFailure) or self._is_safe(output, given):
            return output
        why = say("the answer holds what I must not show")
        return _failed("guardrails", AgentErrorCode.GUARDRAIL_UNSAFE, why)

    def _is_safe(self, output: TailorOutput, given: TailorInput) -> bool:
        """Return whether an answer may be shown: no secrets of Butler's, and no links that its sources lack."""
        if self._guard is None:
            return True
        chunks = given.context_chunks
        metadata = {
            "known_links": [chunk.source_url for chunk in chunks if chunk.source_url],
            "owners_words": "\n".join((given.user_query, *(f"{chunk.title}\n{chunk.content}" for chunk in chunks))),
        }
        check = GuardrailsInput(content=output.content, check_type="output_safety", metadata=metadata)
        return self._guard.check(check).is_safe

    async def _question(self, steps: Sequence[PlanStep], words: str) -> Question | None:
        chunks: list[RetrievedContext] = []
        items: list[PlanStep] = []
        asked: list[str] = []
        told, left = set[int](), (0, 0)
        # What was found only for a later step to extract from is not asked about again.
        taken = {source for step in steps for source in sources_in(step.args)}
        for step in steps:
            # What a plan asks expressly is answered, also if a later step takes something out of it.
            is_asked = (bool(step.ask) or step.step_id not in taken) and self._is_question(step)
            if is_asked and (read := read_for(step, steps)):
                # The mails say it, and their list has no more.
                told.add(step.step_id)
                left = _left_unread(step, len(read)) or left
            elif is_asked and (found := await self.gathering.of(step, _asked_by(step))):
                chunks += found
                items.append(step)
                asked += [question] if (question := _asked_by(step)) else []
        if not chunks:
            return None
        # For several questions of one request, the tailor is asked the request itself.
        text = asked[0] if asked and (len(set(asked)) == 1 or not words) else words
        searched = next((step for step in items if step.tool_call == SEARCH), None)
        looked_into = any(step.args.get("kind") or step.args.get("person") for step in items)
        believed = bounded(chunks if looked_into else believable(text, chunks))
        steps_told = frozenset(told.union(step.step_id for step in items))
        return Question(text, believed, steps_told, others_speak(chunks), searched, tuple(items), words, left)

    def _is_question(self, step: PlanStep) -> bool:
        """Return whether a step asks what it finds: an answer never takes the place of a record of something done."""
        if step.tool_call == SEARCH or not _asked_by(step):
            return step.tool_call == SEARCH
        known = (spec for spec in self._tools.specs() if spec.tool_name == step.tool_call)
        return any(spec.direction is Direction.INPUT for spec in known)


def _spoken(tailor: Tailor, question: Question) -> str:
    """Return the language of the owner's words; empty if undecided, or if the answer quotes sources in their own."""
    return "" if isinstance(tailor, ExtractiveTailor) else language_of(question.said)


async def _written_answer(tailor: Tailor, given: TailorInput) -> TailorOutput | AgentFailure:
    """Ask the tailor; an unavailable model becomes a failure, so that no plan is held up."""
    try:
        return await tailor.answer(given)
    except (ModelUnavailableError, ModelOutputError) as error:
        return _failed("tailor", code_of(error), say_error(error))


def _failed(agent: str, code: AgentErrorCode, message: str) -> AgentFailure:
    return AgentFailure(agent_id=agent, error_code=code, message=message)


def _left_unread(step: PlanStep, read: int) -> tuple[int, int] | None:
    data: Mapping[str, Any] = (step.outcome or {}).get("data") or {}
    count = data.get("count")
    return (read, count) if isinstance(count, int) and count > read else None


def _asked_by(step: PlanStep) -> str:
    question = step.args.get("question")
    return step.ask.strip() or (question.strip() if isinstance(question, str) else "")


def _stands_in(snippet: str, chunk: RetrievedContext | None) -> bool:
    """Return whether a citation stands word for word in its source."""
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
