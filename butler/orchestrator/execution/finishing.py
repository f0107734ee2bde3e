"""Ends a plan: answers its question and builds its reply from stored outcomes."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

import sqlalchemy as sa
import structlog
from pydantic import AwareDatetime, BaseModel, Field

from butler.agents.tailor.port import TailorOutput
from butler.contract.agents import PlanStep, utcnow
from butler.contract.card import OwnerMessage, plain, rich_text
from butler.contract.provenance import Origin
from butler.contract.rendering import Person, PlanContext, Rendered, StepResult
from butler.orchestrator.execution.rounds import Ended, TurnLimits
from butler.orchestrator.planning.requests import behind, spoken
from butler.orchestrator.replies import mail_answers
from butler.orchestrator.replies.answers import Answered, QuestionAnswering
from butler.orchestrator.replies.offers import buttons
from butler.orchestrator.replies.passages import kept
from butler.orchestrator.replies.plan_replies import Reply, ended, joined, reply
from butler.orchestrator.replies.progress import Progress
from butler.orchestrator.replies.shown_items import note_look, number_as_sources, shown_in, shown_of
from butler.orchestrator.replies.sources import about, answer_with_sources
from butler.orchestrator.results.outcomes import why_of
from butler.provenance import by_model, load
from butler.services import Services
from butler.store.conversation import ConversationState
from butler.store.queries import contacts, conversations, inbox, plans, preferences
from butler.store.queries.plans import PlanRow, PlanState


class AgentMetadata(BaseModel):
    """Who made something, when, and by which model."""

    agent_id: str
    timestamp: AwareDatetime = Field(default_factory=utcnow)
    model_version: str


class OrchestratorOutput(BaseModel):
    """The result of a request: `Runner.advance` returns it once the plan has ended."""

    final_response: TailorOutput
    """The text that the owner is shown, with its citations if it was worded from sources."""
    execution_plan: list[PlanStep]
    """The steps with their outcomes."""
    processing_time_total_ms: float
    """The time since the plan was made, including the wait for the owner."""
    metadata: AgentMetadata


log = structlog.get_logger(__name__)

AGENT = "orchestrator"


class Finisher:
    """Ends a plan once."""

    def __init__(
        self,
        services: Services,
        answering: QuestionAnswering,
        progress: Progress,
        limits: TurnLimits,
        model: Callable[[], str],
    ) -> None:
        self._store, self._clock, self._tools = services.store, services.clock, services.tools
        self._answering, self._progress, self._limits, self._zone = answering, progress, limits, services.zone
        self._model = model

    async def finish(self, plan: PlanRow, last: Ended) -> OrchestratorOutput | None:
        """Answer, and end the plan in one transaction; what was awaited before is repeated after a crash.

        Return the output; None if the cards say it all, or the plan had ended before.
        """
        words, state, wanted = await self._store.read(lambda c: self._said(c, plan))
        with self._limits.budget(plan.spent):
            question = await self._answering.asked(plan.steps, words)
            # A copy of its own: the conversation keeps nothing of a plan that is no longer the turn's.
            state.accumulated_context = list(question.chunks) if question is not None else []
            answered = await self._answering.in_conversation(question, state, wanted) if question is not None else None
        now = self._clock.now()
        message = await self._store.write(lambda c: self._end(c, plan, answered, wanted, last, now), "plan_done")
        if message is None:
            return None
        output = output_of(plan, answered, message, now, self._model())
        log.info(
            "answered",
            steps=len(output.execution_plan),
            ms=round(output.processing_time_total_ms),
            model=output.metadata.model_version,
        )
        return output

    def _said(self, connection: sa.Connection, plan: PlanRow) -> tuple[str, ConversationState, dict[str, Any]]:
        found = inbox.get(connection, plan.inbound_id)
        words = spoken(connection, found[0]).value if found else ""
        return words, conversations.load(connection, plan.session_id), dict(preferences.every(connection))

    def _end(
        self,
        connection: sa.Connection,
        plan: PlanRow,
        answered: Answered | None,
        wanted: dict[str, Any],
        last: Ended,
        now: datetime,
    ) -> OwnerMessage | None:
        if not plans.ended(connection, plan.plan_id, PlanState.DONE, now):
            return None
        message: OwnerMessage | None = None

        def change(state: ConversationState) -> None:
            nonlocal message
            shown, handles = shown_of(connection, self._tools, plan.steps, state)
            note_look(connection, state, shown)
            if answered is not None and state.turn == plan.inbound_id:
                state.accumulated_context = kept(answered.question.chunks)
            answer = answer_with_sources(answered, self._tools, self._zone, wanted) if answered else None
            steps = answered.steps if answered else frozenset[int]()
            if answer is not None:
                answer = about(answer, shown, steps)
                number_as_sources(state, shown, steps, answer.sources)
            shown = tuple(self._with_words(one) for one in shown)
            asked = tuple(one for one in shown if one.step.step_id in steps)
            drawn = [picture for one in self._together(connection, asked, now) for picture in one.pictures]
            own = self._together(connection, [one for one in shown if one not in asked], now)
            told = steps.union(*(one.steps for one in own))
            found = reply(shown, self._zone, answer, told)
            charts = Reply((), "", pictures=tuple(drawn)) if drawn else None
            more = Reply(last.text or plain(last.said), last.said, last.offers) if last.said else None
            result = joined([part for part in (*_replies(own), found, charts, more) if part is not None])
            if result is not None and result.text:
                message = self._message(connection, plan, result, handles, now)
                message_id = self._progress.replace_with_answer(connection, plan, message, now)
                state.add_message("assistant", result.memory, timestamp=now, origins=list(last.labels))
                shown_in(state, handles, message_id or "")
            else:
                self._progress.close(connection, plan, now)
            if message is None and result is not None and by_model(load(plan.labels)):
                # The cards said it to the owner; a model that plans what follows is told as well.
                state.add_message("assistant", result.memory, timestamp=now, origins=list(load(plan.labels)))
            back = result if message else ended(tuple(one for one in shown if one.step.step_id not in told))
            if back is not None and (request := inbox.get(connection, plan.inbound_id)) is not None:
                mail_answers.answer(connection, request[0], OwnerMessage(text=back.text), plan.plan_id, now)

        conversations.update(connection, plan.session_id, change, now)
        return message

    def _with_words(self, one: StepResult) -> StepResult:
        """Add the step's module, and why it failed."""
        return replace(one, renderer=self._tools.renderer(one.spec.tool_name), why=why_of(one.outcome))

    def _together(self, connection: sa.Connection, shown: Sequence[StepResult], now: datetime) -> list[Rendered]:
        """Return what modules render of several steps together, in the order of the plan."""
        tools = frozenset(spec.tool_name for spec in self._tools.specs())
        people = (Person(one.contact_id, one.name, one.addresses) for one in contacts.all_confirmed(connection))
        context = PlanContext(self._zone, now, tools, self._tools.refused(), tuple(people))
        answers: list[Rendered] = []
        for module in self._tools.renderers():
            items = frozenset[int]().union(*(one.steps for one in answers))
            left = [one for one in shown if one.step.step_id not in items]
            answers += [made] if (made := module.render_together(left, context)) is not None else []
        return sorted(answers, key=lambda one: min(one.steps))

    def _message(
        self, connection: sa.Connection, plan: PlanRow, said: Reply, handles: frozenset[str], now: datetime
    ) -> OwnerMessage:
        about = next(iter(handles)) if len(handles) == 1 else ""
        request = inbox.get(connection, plan.inbound_id)
        by_mail = behind(connection, request[0]) if request is not None else frozenset[Origin]()
        rows = buttons(
            connection, plan.session_id, said.offers, about=about, labels=said.labels, now=now, behind=by_mail
        )
        return OwnerMessage(text=said.text, attachments=said.pictures, buttons=rows)


def _replies(answers: Sequence[Rendered]) -> list[Reply]:
    return [Reply(one.text, one.memory, one.offers, pictures=one.pictures) for one in answers if one.text]


def output_of(
    plan: PlanRow, answered: Answered | None, message: OwnerMessage, now: datetime, model: str
) -> OrchestratorOutput:
    """Return a request's output as seed 2 defines it; without a question, the reply is built from records alone."""
    begun = plan.created_at or now
    built = TailorOutput(content="", citations=[], tone_used="", follow_up_suggestions=[], confidence_score=1.0)
    worded = (answered.output if answered else None) or built
    return OrchestratorOutput(
        metadata=AgentMetadata(agent_id=AGENT, timestamp=now, model_version=model),
        final_response=worded.model_copy(update={"content": rich_text(message.text)}),
        execution_plan=list(plan.steps),
        processing_time_total_ms=(now - begun).total_seconds() * 1_000,
    )
