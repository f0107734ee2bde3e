"""A planner with a language model behind it: it fills a form, which is only data, or answers in words.

The model is told of a few tools that fit the request, and may ask for others. A form whose steps do not fit their tools
goes back to it once, with what is wrong.
"""

import json
import re
from collections.abc import Sequence

from butler.agents.llm import Llm, OnText
from butler.agents.redacting import Placeholders, Redact, as_it_is, restored
from butler.agents.tailor.addresses import addresses, places
from butler.contract.speech import phrase, say
from butler.contract.tools import ToolSpec
from butler.orchestrator.planning.argument_check import faults
from butler.orchestrator.planning.card_orders import CardOrder
from butler.orchestrator.planning.claims import note_below
from butler.orchestrator.planning.model_forms import PlanForm, PlanFormWithCards, cards_of
from butler.orchestrator.planning.model_prompt import (
    instructions,
    offered,
    prompt,
    spoken_texts,
    told_before,
    tools_text,
)
from butler.orchestrator.planning.model_steps import local_moment, steps_from
from butler.orchestrator.planning.people_ids import with_real_ids
from butler.orchestrator.planning.plan_types import (
    NOTHING_DONE,
    NOTHING_MORE_DONE,
    Answer,
    CardOrders,
    OutsideExpertise,
    Planned,
    PlannerInput,
    PlannerOutput,
    Unclear,
)
from butler.orchestrator.planning.record_signs import without_record_signs
from butler.orchestrator.planning.spoken import spoken
from butler.orchestrator.planning.tool_choice import ToolChoice
from butler.provenance import MODEL_PLAN, Labels

MODEL = frozenset({MODEL_PLAN})
HALF_PLACEHOLDER = re.compile(r"\[(?:[A-Z][A-Z_]*\d*)?$", re.ASCII)
"""The end of a text that came in as far as the middle of a placeholder, which is shown once it is whole."""
MOST_SEARCHES = 2
"""How often a model may ask for other tools in one round."""
NOT_UNDERSTOOD = phrase("I do not know what to do with that. Please say it in other words.")
TWICE = phrase("I made a plan that does the same thing twice, so I did none of it. Please say it in other words.")
NOT_ITS_TOOL = phrase("@{name} has no tool for that.")


class ModelPlanner:
    """Implements `Planner`."""

    def __init__(self, llm: Llm, redact: Redact | None = None, choice: ToolChoice | None = None) -> None:
        """`redact` removes from the owner's words and history what the model must not see."""
        self._llm, self._redact = llm, redact or as_it_is
        self._choice = choice or ToolChoice(None)

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        if not request.facts and (command := spoken(request.words.value, request.butler_name)) is not None:
            return command
        wanted = ""
        for _ in range(MOST_SEARCHES):
            filled = await self._filled(request, wanted)
            if isinstance(filled, str):
                return Answer(filled.strip(), MODEL | earlier_labels(request)) if filled.strip() else not_understood()
            if filled.steps or cards_of(filled) or not filled.find_tools.strip():
                return _output(filled, request)
            wanted = f"{wanted} {filled.find_tools}".strip()
        return not_understood()

    async def _filled(self, request: PlannerInput, wanted: str) -> PlanForm | str:
        """Return the model's form or words, with what was kept from it restored."""
        tools = _with_cards(await self._choice.tools(request, offered(request), wanted), request)
        # What a model asked tools for was restored, and goes back to it.
        (*lines, wanted_line), placeholders = self._redact([*spoken_texts(request), wanted])
        filled = await self._llm.respond(
            PlanFormWithCards if request.cards else PlanForm,
            instructions=instructions(request),
            prompt="\n".join((tools_text(request, tools), prompt(request, lines, wanted=wanted_line))),
            check=lambda form: faults(with_real_ids(form, request), request, offered(request)),
            on_text=_restoring(request.on_text, placeholders),
        )
        if isinstance(filled, str):
            return str(placeholders.restore(filled))
        return with_real_ids(restored(filled, placeholders), request)


def _with_cards(tools: Sequence[ToolSpec], request: PlannerInput) -> tuple[ToolSpec, ...]:
    """Return the tools with those of the cards that wait, which may be changed."""
    told = {spec.tool_name for spec in tools}
    of_cards = {card.tool for card in request.cards if not card.listed} - told
    return (*tools, *(spec for spec in offered(request) if spec.tool_name in of_cards))


def _restoring(on_text: OnText | None, placeholders: Placeholders) -> OnText | None:
    if on_text is None:
        return None

    async def pass_on(text: str) -> None:
        await on_text(str(placeholders.restore(HALF_PLACEHOLDER.sub("", text))))

    return pass_on


def not_understood() -> Unclear:
    """Return the question for a request of which no model made anything."""
    return Unclear(say(NOT_UNDERSTOOD))


def _output(form: PlanForm, request: PlannerInput) -> PlannerOutput:
    """Turn a filled form into the planner's output."""
    if form.question.strip():
        if not addresses(form.question) <= places("\n".join(spoken_texts(request))):
            # A link written by the model could carry away what it knows, and look as if the butler vouched for it.
            return not_understood()
        # A name is looked up only if the owner said it, regardless of what a model returns.
        text = form.stranger.strip() if form.stranger.casefold() in request.words.value.casefold() else ""
        asked = without_record_signs(form.question).strip()
        if note := note_below(asked, NOTHING_MORE_DONE if request.facts else NOTHING_DONE):
            asked = f"{asked}\n\n{note}"
        return Unclear(asked, stranger=text, labels=MODEL | earlier_labels(request))
    if orders := _orders(form, request):
        then = _plan(form, request) if form.steps else None
        if then is None or isinstance(then, Planned):
            return CardOrders(orders, MODEL | earlier_labels(request), then)
        return then
    return _plan(form, request)


def _orders(form: PlanForm, request: PlannerInput) -> tuple[CardOrder, ...]:
    """Return what a form wants of the waiting cards; what names no such card is left out."""
    cards = {card.handle: card for card in request.cards}
    return tuple(
        CardOrder(cards[one.card], one.withdraw, one.args, local_moment(one.at, request.zone), one.wording.strip())
        for one in cards_of(form)
        if one.card in cards
    )


def _plan(form: PlanForm, request: PlannerInput) -> PlannerOutput:
    expert = request.expert
    if form.beyond and expert is not None:
        return OutsideExpertise(say(NOT_ITS_TOOL, name=expert.name))
    if not form.steps:
        # After an earlier round, no steps mean that the request is done.
        return Planned((), MODEL) if request.facts else not_understood()
    if expert is not None and not all(expert.allows(step.tool) for step in form.steps):
        # Regardless of the model's prompt and answer, an expert has its own tools and no others.
        return Unclear(say(NOT_ITS_TOOL, name=expert.name))
    calls = [(step.tool, step.ask, json.dumps(step.args, sort_keys=True)) for step in form.steps]
    if len(set(calls)) < len(calls):
        return Unclear(say(TWICE))
    tools = {tool.tool_name: tool for tool in offered(request)}
    shown = {referent.handle: referent for referent in request.referents}
    return Planned(steps_from(form.steps, tools, shown, request.zone), MODEL | earlier_labels(request), more=form.more)


def earlier_labels(request: PlannerInput) -> Labels:
    """Return the labels of earlier messages that others had a hand in; these may steer what is planned now."""
    return frozenset(origin for message in told_before(request) for origin in message.origins)
