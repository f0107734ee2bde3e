"""Further rounds of a plan whose planner wants to see its steps' results: bounded, and each stored as a row.

The planner sees handles, counts, dates and codes. Its choice carries the labels of all that was found, since other
words of somebody could have changed it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import sqlalchemy as sa
import structlog

from butler.agents.budget import TurnBudget, Usage
from butler.agents.errors import ModelOutputError, ModelUnavailableError
from butler.contract.agents import PlanStep, When
from butler.contract.card import Rich
from butler.contract.errors import Refuse
from butler.contract.found_items import Item, items
from butler.contract.names import Direction
from butler.contract.ports import Clock
from butler.contract.provenance import Origin, Trust
from butler.contract.rendering import Offer, StepResult
from butler.contract.speech import phrase, say, say_error, say_many
from butler.contract.tools import ArgRole
from butler.orchestrator.planning.plan_types import (
    LONGEST_REMEMBERED,
    NOTHING_MORE_DONE,
    Answer,
    Choice,
    Planned,
    Planner,
    PlannerInput,
    PlannerOutput,
    Unclear,
)
from butler.orchestrator.planning.planner_view import CODE, Fact, FactName
from butler.orchestrator.planning.references import moved as renumbered
from butler.orchestrator.planning.requests import RequestContext, checked, input_of, request_of, spoken
from butler.orchestrator.replies.answer_text import answer_spans, noted
from butler.orchestrator.replies.failures import refers
from butler.orchestrator.replies.shown_items import shown_of
from butler.orchestrator.results.handles import begins_of
from butler.orchestrator.results.nothing_found import FOLLOWED, found_nothing
from butler.orchestrator.results.safe_reasons import safe_reason
from butler.orchestrator.results.selection import selected
from butler.provenance import MODEL_PLAN, Labels, by_model, dump, join, load
from butler.store.conversation import ConversationState
from butler.store.queries import conversations, inbox, plans
from butler.store.queries.plans import PlanRow
from butler.store.store import Store
from config.settings import LlmSettings

log = structlog.get_logger(__name__)

WENT_WRONG = Origin(trust=Trust.UNTRUSTED, source="outcome", shown_as=phrase("how an earlier step went"))
"""Others may influence whether a step works, such as the owner of the page that it reads."""
SKIPPED, NOT_FOUND = "SKIPPED", "NOT_FOUND"
STANDING = frozenset({"NOT_NEEDED", "DENIED", SKIPPED})
"""Codes of steps that did not go wrong: a condition did not hold, the owner said no, or an earlier step failed."""
MOST_ITEMS = 20
"""Most items of one step that a planner is given one by one."""


@dataclass(frozen=True, slots=True)
class TurnLimits:
    """The limits of one request, over all its rounds."""

    rounds: int = 4
    time_s: float = 180.0
    cost: float = 0.25
    """US dollars."""

    @classmethod
    def of(cls, settings: LlmSettings) -> Self:
        """Return the limits that `[llm]` sets."""
        return cls(settings.turn_rounds, settings.turn_time_limit_s, settings.turn_cost_limit)

    def budget(self, spent: Mapping[str, Any]) -> TurnBudget:
        """Return the remaining budget; enter it around every call of a model."""
        return TurnBudget(self.time_s, self.cost, spent=Usage.model_validate(spent))


@dataclass(frozen=True, slots=True)
class Ended:
    """No further round follows; `said` is what to report, if anything, and `text` how it is set."""

    said: str = ""
    text: Rich = ()
    offers: tuple[Offer, ...] = ()
    labels: Labels = frozenset()
    """Who had a hand in what is said, if a planner said it."""


class Rounds:
    """Plans further rounds of plans that ask for it."""

    def __init__(
        self, store: Store, clock: Clock, home: RequestContext, planner: Planner | None, limits: TurnLimits
    ) -> None:
        self._store, self._clock, self._home, self._planner, self._limits = store, clock, home, planner, limits

    async def next_round(self, plan: PlanRow) -> Ended | None:
        """Plan the next round of a plan whose steps have all ended; return None once it is stored."""
        again = plan.round == 1 and (_may_be_mended(plan) or self._in_vain(plan))
        if self._planner is None or not (plan.more or again):
            return Ended()
        if plan.round >= self._limits.rounds:
            text = say_many(
                plan.round,
                "I stopped there: one request may take 1 round ([llm] turn_rounds), and that was the last.",
                "I stopped there: one request may take {count} rounds ([llm] turn_rounds), and that was the last.",
            )
            return Ended(text)
        request = await self._store.write(lambda c: self._request(c, plan), "round")
        if not request.words.value.strip():
            # A button stood for the steps themselves, so there is nothing to plan anew.
            return Ended()
        with self._limits.budget(plan.spent) as budget:
            try:
                output = checked(self._home.tools, await self._planner.plan(request))
            except (ModelUnavailableError, ModelOutputError) as error:
                log.warning("round_failed", kind=type(error).__name__)
                # That a step failed is told anyway; that no other way was found adds nothing.
                return Ended(say("I stopped there: {why}.", why=say_error(error)) if plan.more else "")
        output = await self._store.look(lambda c: selected(c, plan.session_id, output, request))
        return await self._take(plan, output, budget.spent)

    async def _take(self, plan: PlanRow, output: PlannerOutput, spent: Usage) -> Ended | None:
        match output:
            case Planned(steps=(_, *_)):
                if any(_same(new, old) for new in output.steps for old in plan.steps):
                    again = say("I stopped there, because I would only have done the same thing again.")
                    return Ended(again if plan.more else "")
                if not plan.more and any(new.tool_call in _denied(plan) for new in output.steps):
                    # The owner was asked, and said no; that something else failed is no reason to ask again.
                    return Ended()
                steps = _numbered(output.steps, max((step.step_id for step in plan.steps), default=0))
                await self._store.write(lambda c: self._add(c, plan, output, steps, spent), "round_planned")
                return None
            case Unclear(question=question, choices=choices):
                return Ended(question, offers=tuple(map(_offer, choices)), labels=_behind(plan, output))
            case Answer(text=text):
                shown = noted(answer_spans(text), NOTHING_MORE_DONE)
                return Ended(text[:LONGEST_REMEMBERED], shown, labels=_behind(plan, output))
            case _:
                return Ended()

    def _in_vain(self, plan: PlanRow) -> bool:
        """Return whether all that a model's first plan looked for was not there, and no step hangs on that.

        There may be something under other words, in another language or in another place; of a list that was asked for
        whole, nothing is the answer.
        """
        looks = self._looks(plan)
        if not by_model(load(plan.labels)) or any(step.when is not None for step in plan.steps):
            return False
        return all(found_nothing(step.outcome or {}) for step in looks) and any(map(self._is_search, looks))

    def _looks(self, plan: PlanRow) -> Sequence[PlanStep]:
        reads = {spec.tool_name for spec in self._home.tools.specs() if spec.direction is Direction.INPUT}
        return [step for step in plan.steps if step.tool_call in reads]

    def _is_search(self, step: PlanStep) -> bool:
        roles = self._home.tools.metadata(step.tool_call).args
        return any(roles.get(name) is not ArgRole.OPTION for name in step.args)

    def _request(self, connection: sa.Connection, plan: PlanRow) -> PlannerInput:
        found = inbox.get(connection, plan.inbound_id)
        if found is None:
            raise Refuse("the request is gone")
        now = self._clock.now()
        facts: tuple[Fact, ...] = ()

        def change(state: ConversationState) -> None:
            nonlocal facts
            shown, _ = shown_of(connection, self._home.tools, plan.steps, state)
            facts = tuple(facts_of(shown))

        conversations.update(connection, plan.session_id, change, now)
        item = found[0].model_copy(update={"chat": plan.session_id})
        given = input_of(item, spoken(connection, found[0]))
        return request_of(connection, self._home, given, now=now, facts=facts)

    def _add(
        self, connection: sa.Connection, plan: PlanRow, output: Planned, steps: Sequence[PlanStep], spent: Usage
    ) -> None:
        for step in self._looks(plan):
            outcome = {**(step.outcome or {}), FOLLOWED: True}
            plans.step_ended(connection, plan.plan_id, step.step_id, ok=step.status == "completed", outcome=outcome)
        plans.next_round(
            connection,
            plan.plan_id,
            after=plan.round,
            steps=steps,
            labels=dump(load(plan.labels) | output.labels | in_view(plan)),
            more=output.more,
            spent=spent.model_dump(mode="json"),
            now=self._clock.now(),
        )


def _behind(plan: PlanRow, said: Answer | Unclear) -> Labels:
    """Return who had a hand in what a planner says at the end: also whoever had one in the plan and in its history."""
    return in_view(plan) | load(plan.labels) | said.labels | {MODEL_PLAN}


def _may_be_mended(plan: PlanRow) -> bool:
    """Return whether a model's first plan failed for a reason that another plan may avoid; what the owner denied stays.

    That nothing was found counts where further steps hung on it; of looks alone, `_in_vain` tells.
    """
    failed = (step.outcome or {} for step in plan.steps if step.status == "failed")
    codes = {str(outcome.get("code", "")) for outcome in failed if "approval" not in outcome}
    mendable = codes - STANDING - (set() if SKIPPED in codes else {NOT_FOUND})
    return by_model(load(plan.labels)) and bool(mendable)


def _denied(plan: PlanRow) -> frozenset[str]:
    """Return the tools whose cards the owner denied."""
    denied = (step for step in plan.steps if (step.outcome or {}).get("approval") == "denied")
    return frozenset(step.tool_call for step in denied)


def _offer(choice: Choice) -> Offer:
    return Offer(choice.label, choice.words, choice.steps, choice.labels if choice.steps else None)


def in_view(plan: PlanRow) -> Labels:
    """Return the labels of all that the steps found, and of what may have made one fail."""
    return join(_known_of(step.outcome or {}) for step in plan.steps)


def _known_of(outcome: Mapping[str, Any]) -> Labels:
    """Return the labels of a step's outcome; the outcome of a card is the owner's word."""
    if outcome.get("origins") or "approval" in outcome:
        return load(outcome.get("origins") or ())
    return frozenset({WENT_WRONG})


def facts_of(shown: Sequence[StepResult]) -> Iterator[Fact]:
    """Yield what a planner may know of finished steps."""
    for one in shown:
        step, outcome = one.step, one.step.outcome or {}
        data: Mapping[str, Any] = outcome.get("data") or {}
        yield Fact(step.step_id, step.tool_call, FactName.OUTCOME, _code(outcome))
        if (why := safe_reason(step, one.spec, outcome)) is not None:
            yield Fact(step.step_id, step.tool_call, FactName.WHY, why)
        if one.spec.direction is not Direction.INPUT or not outcome.get("ok"):
            continue
        found = items(data)
        count = data.get("count")
        yield Fact(step.step_id, step.tool_call, FactName.COUNT, count if isinstance(count, int) else len(found))
        if isinstance(complete := data.get("complete"), bool):
            yield Fact(step.step_id, step.tool_call, FactName.COMPLETE, complete)
        yield from _items(one, found)


def _items(one: StepResult, found: Sequence[Item]) -> Iterator[Fact]:
    for handle, item in zip(one.handles[:MOST_ITEMS], found, strict=False):
        yield Fact(one.step.step_id, one.step.tool_call, FactName.ITEM, handle)
        if (at := begins_of(item) or item.at) is not None:
            yield Fact(one.step.step_id, one.step.tool_call, FactName.AT, at)


def _code(outcome: Mapping[str, Any]) -> str:
    if outcome.get("ok"):
        return "OK"
    agents = "" if outcome.get("code") == NOT_FOUND else outcome.get("agent_code")
    text = str(agents or outcome.get("code") or outcome.get("approval") or "").upper()
    return text if CODE.fullmatch(text) else "FAILED"


def _same(new: PlanStep, old: PlanStep) -> bool:
    """Return whether a step repeats another; references to other steps may mean something else by now."""
    return (new.tool_call, new.args) == (old.tool_call, old.args) and not refers(new.args)


def _numbered(steps: Sequence[PlanStep], last: int) -> list[PlanStep]:
    """Renumber the steps after all earlier rounds; a planner that counts from 1 refers to its own steps."""
    if all(step.step_id > last for step in steps):
        return list(steps)
    moved: dict[int | str, int] = {step.step_id: step.step_id + last for step in steps}
    return [
        step.model_copy(
            update={
                "step_id": moved[step.step_id],
                "depends_on": [moved.get(number, number) for number in step.depends_on],
                "args": renumbered(step.args, moved),
                "when": _when(step.when, moved),
            }
        )
        for step in steps
    ]


def _when(when: When | None, moved: Mapping[int | str, int]) -> When | None:
    return when.model_copy(update={"step_id": moved.get(when.step_id, when.step_id)}) if when else None
