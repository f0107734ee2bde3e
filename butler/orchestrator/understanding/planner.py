"""The planner without a model: a trained reader marks what is meant, and each intent's builder makes the plan of it.

What the reader is unsure of is never done: the likeliest readings are offered as buttons.
"""

import asyncio
from collections.abc import Mapping

from butler.agents.languages import language_of
from butler.contract.names import Direction
from butler.contract.speech import say
from butler.orchestrator.embedded import calls
from butler.orchestrator.embedded.asking import Asking
from butler.orchestrator.embedded.help import NOT_UNDERSTOOD
from butler.orchestrator.embedded.scene import Scene, scene_of
from butler.orchestrator.planning.plan_types import (
    NotUnderstood,
    Planned,
    Planner,
    PlannerInput,
    PlannerOutput,
    Unclear,
)
from butler.orchestrator.planning.preferences import Preference
from butler.orchestrator.understanding import (
    automations,
    boards,
    calendar_changing,
    calendar_making,
    calendar_reading,
    cards,
    chats,
    core,
    mail,
    mail_bulk,
    memory,
    messages,
    own_settings,
    reminders,
    server,
    watching,
)  # fmt: skip
from butler.orchestrator.understanding.conversation import Turns, answered, is_answer, with_people
from butler.orchestrator.understanding.offers import offered
from butler.orchestrator.understanding.said import Builder, Said
from butler.orchestrator.understanding.weighing import sureness, weighed
from butler.understanding.reader import Request, RequestReader
from butler.understanding.tables import intents

BUILDERS: Mapping[str, Builder] = {
    **messages.BUILDERS, **mail.BUILDERS, **mail_bulk.BUILDERS, **chats.BUILDERS, **memory.BUILDERS, **boards.BUILDERS,
    **core.BUILDERS, **cards.BUILDERS, **reminders.BUILDERS, **calendar_reading.BUILDERS, **calendar_making.BUILDERS,
    **calendar_changing.BUILDERS, **automations.BUILDERS, **watching.BUILDERS, **server.BUILDERS,
    **own_settings.BUILDERS,
}  # fmt: skip
SURE = 0.6
"""The probability from which on a reading is acted upon."""
LATELY = 6
"""Messages before, by whose language words of no language are read."""
LANGUAGES = ("en", "de", "fr", "es")


class ReadingPlanner:
    """Meets the `Planner` port. Offline: the rules plan what they know, the reader all else.

    Args:
        reader: What marks the intents and slots.
        rules: The planner by rules.
        rules_first: Whether the rules are asked first; else they plan only what the reader is unsure of.
    """

    def __init__(self, reader: RequestReader, rules: Planner, *, rules_first: bool = True) -> None:
        self._reader, self._rules, self._rules_first = reader, rules, rules_first

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Plan one message. Never raises."""
        by_rules = await self._rules.plan(request) if self._rules_first else None
        if isinstance(by_rules, Planned | Preference) and not _missed(by_rules):
            return by_rules
        found, doubt = await asyncio.to_thread(self._planned, request)
        asks = isinstance(by_rules, Unclear) and not _missed(by_rules)
        if found is not None and not (asks and isinstance(found, Unclear)):
            return found
        other = by_rules or await self._rules.plan(request)
        if doubt is None or not _missed(other) or _agrees(other, doubt):
            return other
        return doubt

    def _planned(self, request: PlannerInput) -> tuple[PlannerOutput | None, Unclear | None]:
        """What is surely meant, or what may be meant."""
        whole = request.words.value
        found = tuple(weighed(one, request) for one in self._reader.read(whole))
        scene = scene_of(request)
        turns = Turns(request.history, self._reader.read, lambda one: built(one, scene, whole, request.language))
        if turns.after_question() and is_answer(found):
            output = answered(found[0], turns)
            if output is not None:
                return output, None
        if not found or any(one.intent not in BUILDERS for one in found):
            return None, None
        read = [with_people(one, scene, turns) for one in found]
        if all(sureness(one) >= SURE for one in read):
            return together([turns.build(one) for one in read]), None
        return None, offered(read[0], turns.build) if len(read) == 1 else None


def _missed(output: PlannerOutput) -> bool:
    """Whether the rules made nothing of a request, or took it for a question to memory for want of anything else."""
    if isinstance(output, Planned):
        return [(step.tool_call, [*step.args]) for step in output.steps] == [("bot_memory_search", ["question"])]
    return isinstance(output, NotUnderstood)


def _agrees(output: PlannerOutput, doubt: Unclear) -> bool:
    """Whether a plan does what one of the likely readings would do."""
    last = output.steps[-1].tool_call if isinstance(output, Planned) else ""
    return any(one.steps and one.steps[-1].tool_call == last for one in doubt.choices)


def built(one: Request, scene: Scene, whole: str, owners: str) -> PlannerOutput:
    """The plan, question or command that one request comes to."""
    before = " ".join(one.content for one in scene.request.history[-LATELY:] if one.role == "user")
    language = language_of(one.text) or language_of(before) or owners
    said = Said(one, scene, language if language in LANGUAGES else "en", whole)
    builder = BUILDERS.get(one.intent)
    if builder is None:
        return NotUnderstood(say(NOT_UNDERSTOOD))
    try:
        return _within_its_tools(builder(said), one, scene)
    except Asking as asking:
        return asking.unclear


def _within_its_tools(output: PlannerOutput, one: Request, scene: Scene) -> PlannerOutput:
    """The plan, if it acts with nothing but the tools that the intent's table names."""
    if isinstance(output, Planned):
        acting = {spec.tool_name for spec in scene.request.tools if spec.direction is Direction.OUTPUT}
        used = {step.tool_call for step in output.steps} & acting
        if not used <= intents()[one.intent].tools:
            return NotUnderstood(say(NOT_UNDERSTOOD))
    return output


def together(outputs: list[PlannerOutput]) -> PlannerOutput:
    """All of a message: steps one behind the other; where one has to be asked about, its question alone."""
    if len(outputs) == 1:
        return outputs[0]
    steps: list[Planned] = [one for one in outputs if isinstance(one, Planned)]
    asked = next((one for one in outputs if isinstance(one, Unclear)), None)
    if asked is not None or len(steps) < len(outputs):
        return asked or outputs[0]
    plan = steps[0]
    for one in steps[1:]:
        plan = calls.plan(*plan.steps, *calls.moved(one, len(plan.steps)))
    return plan
