"""Gives a request to its expert, and limits every plan to that expert's tools, whichever planner made it.

The owner names an expert, or a language model is given the one that knows the request's topic. The choice follows from
the owner's words alone, so each round of a request has the same expert, and nothing has to be remembered.
"""

from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, replace

import structlog

from butler.contract.provenance import Labelled
from butler.contract.speech import say, say_list
from butler.orchestrator.embedded.experts import Named, asks_which, named
from butler.orchestrator.experts.expert import Expert, Experts
from butler.orchestrator.experts.topic_match import by_topic
from butler.orchestrator.planning.plan_types import (
    Choice,
    Command,
    OutsideExpertise,
    Planned,
    Planner,
    PlannerInput,
    PlannerOutput,
    Unclear,
    owners,
)

log = structlog.get_logger(__name__)


Fits = Callable[[PlannerInput, Collection[str]], Awaitable[bool]]
"""Tells whether a request can be done with these tools."""


@dataclass(frozen=True, slots=True)
class ExpertRequest:
    """An expert, what it is asked, and whether the owner named it."""

    expert: Expert
    words: str
    by_name: bool


class ExpertPlanner:
    """Implements `Planner`."""

    def __init__(self, planner: Planner, experts: Experts, *, by_topic: bool, fits: Fits | None = None) -> None:
        """Let a request's topic choose an expert if `by_topic`; otherwise only a name does.

        An expert that a topic chose has to be able to do all of the request, which `fits` tells.
        """
        self._planner, self._experts, self._by_topic, self._fits = planner, experts, by_topic, fits

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        request = self._installed(request)
        if asks_which(request.words.value, request.butler_name):
            return Command.EXPERTS
        asked = self.asked(request)
        if asked is None:
            return self._held(await self._planner.plan(request), request)
        if isinstance(asked, Unclear):
            return asked
        if not asked.by_name and not await self._is_fit(asked.expert, request):
            return self._held(await self._planner.plan(request), request)
        log.info("expert_picked", expert=asked.expert.name, by="name" if asked.by_name else "topic")
        return await (self._by_the_named(asked, request) if asked.by_name else self._by_the_fitting(asked, request))

    async def _is_fit(self, expert: Expert, request: PlannerInput) -> bool:
        return self._fits is None or await self._fits(request, [one.tool for one in expert.tools])

    def asked(self, request: PlannerInput) -> ExpertRequest | Unclear | None:
        """Return which expert is asked what; a question if that is unclear, and None without an expert."""
        people = _called(request)
        found = named(request.words.value, self._experts.all, people, request.butler_name)
        if found is not None:
            return _one_of(found, request)
        if not self._by_topic:
            return None
        usable = [one for one in self._experts.all if _is_usable(one, request)]
        expert = by_topic(request.words.value, usable, self._experts.installed, people)
        # A round that used others' tools was planned without an expert, and continues so.
        if expert is None or not all(expert.allows(fact.tool) for fact in request.facts):
            return None
        return ExpertRequest(expert, request.words.value, by_name=False)

    async def _by_the_named(self, asked: ExpertRequest, request: PlannerInput) -> PlannerOutput:
        expert = asked.expert
        history = tuple(
            message.model_copy(update={"content": self._unnamed(message.content, request)})
            if message.role == "user"
            else message
            for message in request.history
        )
        words = owners(Labelled(value=asked.words, origins=request.words.origins))
        output = await self._planner.plan(replace(request, words=words, history=history, expert=expert))
        if isinstance(output, OutsideExpertise):
            return self._not_its(asked, ())
        if isinstance(output, Planned) and not all(expert.allows(step.tool_call) for step in output.steps):
            return self._not_its(asked, tuple(step.tool_call for step in output.steps))
        if isinstance(output, Unclear):
            return replace(output, choices=tuple(filter(None, (_kept(choice, expert) for choice in output.choices))))
        return output

    async def _by_the_fitting(self, asked: ExpertRequest, request: PlannerInput) -> PlannerOutput:
        """Plan for an expert that the owner did not name: a request beyond its tools is planned with all tools."""
        output = await self._planner.plan(replace(request, expert=asked.expert))
        if isinstance(output, OutsideExpertise):
            log.info("expert_not_enough", expert=asked.expert.name)
            output = await self._planner.plan(request)
        return self._held(output, request)

    def _installed(self, request: PlannerInput) -> PlannerInput:
        """Return the request with the installed tools only, which include every expert's."""
        tools = tuple(spec for spec in request.tools if spec.tool_name in self._experts.installed)
        return replace(request, tools=tools)

    def _held(self, output: PlannerOutput, request: PlannerInput) -> PlannerOutput:
        """Return the output, but refuse a plan with a tool that is not installed."""
        known = {spec.tool_name for spec in request.tools}
        if isinstance(output, Planned) and not all(step.tool_call in known for step in output.steps):
            return Unclear(say("I made a plan with a tool that I do not have. Please say it in other words."))
        return output

    def _unnamed(self, words: str, request: PlannerInput) -> str:
        """Return earlier words without the name of the expert they were addressed to."""
        found = named(words, self._experts.all, _called(request), request.butler_name)
        return found.words if found is not None and found.words else words

    def _not_its(self, asked: ExpertRequest, tools: Sequence[str]) -> Unclear:
        """Return one sentence that says which experts could do it, and a button for each of them."""
        others = self._experts.able(tools) if tools else ()
        no_tool = say("@{name} has no tool for that.", name=asked.expert.name)
        if others:
            could = say("{names} could do it.", names=say_list([f"@{one.name}" for one in others]))
            choices = [_asking(one, asked.words) for one in others]
        else:
            could = say("Say it again without naming an expert.")
            choices = [Choice(label=say("Without an expert"), words=asked.words)]
        return Unclear(f"{no_tool} {could}", tuple(choices))


def _called(request: PlannerInput) -> list[str]:
    """Return the names of contacts and the butler. They take precedence over experts' names."""
    return [*(alias for contact in request.contacts for alias in contact.aliases), request.butler_name]


def _one_of(found: Named, request: PlannerInput) -> ExpertRequest | Unclear:
    """Return the expert that the owner named, or a question if it is ambiguous, unusable or asked nothing."""
    expert, *others = found.experts
    if others:
        names = say_list([f"@{one.name}" for one in found.experts])
        choices = tuple(_asking(one, found.words) for one in found.experts if found.words)
        return Unclear(say("Which of them do you mean: {names}?", names=names), choices)
    if not found.words:
        return Unclear(say("What shall @{name} do? Say it in the same message.", name=expert.name))
    if not _is_usable(expert, request):
        return Unclear(
            say(
                "@{name} has nothing to work with: none of its tools is set up here. Run `butler doctor` to see what "
                "is missing.",
                name=expert.name,
            )
        )
    return ExpertRequest(expert, found.words, by_name=True)


def _is_usable(expert: Expert, request: PlannerInput) -> bool:
    return any(expert.allows(spec.tool_name) for spec in request.tools)


def _asking(expert: Expert, words: str) -> Choice:
    return Choice(label=say("Ask @{name}", name=expert.name), words=f"@{expert.name} {words}")


def _kept(choice: Choice, expert: Expert) -> Choice | None:
    """Return a choice that stays with the same expert once tapped; None if that expert may not do it."""
    if choice.steps:
        return choice if all(expert.allows(step.tool_call) for step in choice.steps) else None
    return replace(choice, words=f"@{expert.name} {choice.words}") if choice.words else choice
