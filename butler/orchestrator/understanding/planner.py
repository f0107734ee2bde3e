"""Implements the planner without a model: a trained reader marks the request, and its intent's builder makes the plan.

It never acts on a doubtful reading: it offers the likeliest readings as buttons.
"""

import asyncio
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial

from butler.agents.languages import language_of
from butler.contract.names import Direction
from butler.contract.provenance import Labelled, Trust
from butler.contract.speech import phrase, say
from butler.orchestrator.embedded.asking import Asking, choice
from butler.orchestrator.embedded.help import NOT_UNDERSTOOD
from butler.orchestrator.embedded.scene import Scene, scene_of
from butler.orchestrator.planning.plan_types import (
    Choice,
    Command,
    NotUnderstood,
    Planned,
    PlannerInput,
    PlannerOutput,
    Unclear,
    owners,
)
from butler.orchestrator.planning.preferences import Preference
from butler.orchestrator.understanding import (
    cards,
    chats,
    core,
    memory,
    messages,
    own_settings,
    server,
    storage,
    tool_questions,
)
from butler.orchestrator.understanding.automations import builders as automations
from butler.orchestrator.understanding.automations import watching
from butler.orchestrator.understanding.boards import builders as boards
from butler.orchestrator.understanding.calendar import changing as calendar_changing
from butler.orchestrator.understanding.calendar import making as calendar_making
from butler.orchestrator.understanding.calendar import reading as calendar_reading
from butler.orchestrator.understanding.context import context_of
from butler.orchestrator.understanding.mail import builders as mail
from butler.orchestrator.understanding.mail import bulk as mail_bulk
from butler.orchestrator.understanding.people.who import known
from butler.orchestrator.understanding.reminders import builders as reminders
from butler.orchestrator.understanding.reminders.reply import bare_time
from butler.orchestrator.understanding.requests.conditions import hanging, refused
from butler.orchestrator.understanding.requests.forbidden import ordered
from butler.orchestrator.understanding.requests.left_out import without_left_out
from butler.orchestrator.understanding.requests.marked import requests_in
from butler.orchestrator.understanding.requests.only_if import conditional, without_doubt
from butler.orchestrator.understanding.requests.several import requests_of, together, unlisted
from butler.orchestrator.understanding.requests.slips import without_slips
from butler.orchestrator.understanding.requests.unseen import unseen
from butler.orchestrator.understanding.requests.weighing import sureness, without_answers
from butler.orchestrator.understanding.said import Builder, Said
from butler.orchestrator.understanding.turns.answering import answered, is_answer
from butler.orchestrator.understanding.turns.conversation import (
    REFINE,
    Turns,
    is_repeated,
    refined,
    with_people,
)
from butler.orchestrator.understanding.turns.nearest import not_understood
from butler.orchestrator.understanding.turns.offers import offered
from butler.orchestrator.understanding.turns.picking import CHOOSE, PICKS, picked
from butler.orchestrator.understanding.turns.said_again import one_of_two, said_again
from butler.understanding.context import ASKED
from butler.understanding.reader import Request, RequestReader
from butler.understanding.tables import LANGUAGES, intents

BUILDERS: Mapping[str, Builder] = {
    **messages.BUILDERS, **mail.BUILDERS, **mail_bulk.BUILDERS, **chats.BUILDERS, **memory.BUILDERS, **boards.BUILDERS,
    **core.BUILDERS, **cards.BUILDERS, **reminders.BUILDERS, **calendar_reading.BUILDERS, **calendar_making.BUILDERS,
    **calendar_changing.BUILDERS, **automations.BUILDERS, **watching.BUILDERS, **server.BUILDERS,
    **own_settings.BUILDERS, **storage.BUILDERS, **tool_questions.BUILDERS,
}  # fmt: skip
SURE = 0.6
"""The least probability of a reading that is acted upon."""
NOT_INSTALLED = phrase("The part of me that can do that is not installed here.")
LIST_FIRST = phrase("I show you the list first. Then say which one, and what shall be done with it.")
SURE_TO_LOOK = 0.4
"""The least probability if the output only looks, asks or changes a waiting card."""
QUOTED = re.compile(r"""\s*(?:“[^”]*”|„[^“”]*[“”]|«[^»]*»|"[^"]*")[\s.!]*""")
"""A message that is only a quotation, which orders nothing."""
LATELY = 6
"""The number of earlier messages that tell the language of words without one."""


class ReadingPlanner:
    """Implements `Planner`, offline.

    Args:
        reader: Marks the intents and slots.
        sure: The least probability of a reading that is acted upon.
    """

    def __init__(self, reader: RequestReader, sure: float = SURE) -> None:
        self._reader, self._sure = reader, sure

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        """Plan one message. Never raises."""
        return await asyncio.to_thread(self._planned, request)

    def _planned(self, request: PlannerInput) -> PlannerOutput:
        """Return the output; if it acts, but differs for the same words said in another way, ask which is meant."""
        if (right := without_slips(request.words.value)) != request.words.value:
            request = replace(request, words=owners(Labelled(value=right, origins=request.words.origins)))
        output = self._once(request)
        if not isinstance(output, Planned) or not _acts(output, scene := scene_of(request)):
            return output
        words = request.words.value
        language = self._reader.read(words, context_of(request))[0].language
        again = owners(Labelled(value=said_again(words, language), origins=request.words.origins))
        other = self._once(replace(request, words=again))
        return one_of_two(output, other, words, _acting(scene)) or output

    def _once(self, request: PlannerInput) -> PlannerOutput:
        """Return the output of a sure reading; else buttons for likely ones; else that nothing was understood."""
        whole, scene, context = request.words.value, scene_of(request), context_of(request)
        read = self._reader.read(whole, context)
        if not read:
            return NotUnderstood(say(NOT_UNDERSTOOD))
        if any(one.intent not in intents() and one.confidence >= self._sure for one in read):
            return Unclear(say(NOT_INSTALLED))

        def build_all(one: Request) -> PlannerOutput:
            return built(with_people(one, scene, turns), scene, whole, request.language)

        def build(one: Request) -> PlannerOutput:
            return without_left_out(one, build_all, mail_bulk.leaves_out)

        def knows(name: str) -> bool:
            return known(name, scene) is not None

        marked = partial(requests_in, now=scene.now(), reader=self._reader.read, build=build, knows=knows)

        def again(words: str, before: Sequence[str]) -> tuple[Request, ...]:
            return marked(self._reader.read(words, before), words, before)

        turns = Turns(request.history, again, scene, build)
        found = marked(read, whole, context, asked=request)
        if (output := self._continued(found, request, turns)) is not None:
            return output
        meant = ordered(found, self._reader.read, context, build)
        if isinstance(meant, Unclear):
            return meant
        sure = without_doubt([without_answers(one) for one in meant], again, context)
        new = requests_of(sure, scene.now())
        asked = conditional(new, build, self._reader.read, context) or unseen(new)
        return asked or self._anew(new, turns)

    def _continued(self, found: Sequence[Request], request: PlannerInput, turns: Turns) -> PlannerOutput | None:
        """Return the output of a message that continues the conversation; None for one that stands alone."""
        context = context_of(request)
        if len(found) > 1:
            return None
        if (timed := bare_time(found[0], request, found[0].language or request.language)) is not None:
            return turns.build(timed)
        if ASKED in context:
            pick = self._picked(found[0], request) if found[0].intent in PICKS else None
            if pick is not None and pick.steps:
                return Planned(pick.steps, pick.labels)
            if is_answer(found) and (output := answered(found[0], turns)) is not None:
                return output
            if pick is not None:
                return self._earlier(request, pick.words)
        again = found[0].intent in {REFINE, CHOOSE} or is_repeated(found[0], turns)
        return refined(found[0], turns, context) if again else None

    def _anew(self, found: Sequence[Request], turns: Turns) -> PlannerOutput:
        outputs = [turns.build(one) for one in found]
        if QUOTED.fullmatch(turns.scene.request.words.value) and any(_acts(one, turns.scene) for one in outputs):
            return Unclear(say("I see only what somebody else wrote. Tell me in your own words what to do with it."))
        if (not_sent := refused(found)) is not None:
            return not_sent
        if (hung := hanging(found, turns.build)) is not None:
            return hung
        if (at := unlisted(found)) is not None and isinstance(plan := outputs[at], Planned):
            first = choice(say("Show them first"), found[at].text)
            return Unclear(say(LIST_FIRST), (replace(first, steps=plan.steps, labels=plan.labels),))
        doubtful = [
            at
            for at, (one, output) in enumerate(zip(found, outputs, strict=True))
            if sureness(one) < (self._sure if _acts(output, turns.scene) else SURE_TO_LOOK)
        ]
        if not doubtful:
            return together(outputs)
        return offered(found[doubtful[0]], turns.build) or not_understood(found[doubtful[0]])

    def _picked(self, answer: Request, request: PlannerInput) -> Choice | None:
        """Return the offered answer that the words pick; the offers come from planning the message before again."""
        before = next((one for one in reversed(request.history) if one.role == "user"), None)
        if before is None or any(origin.trust is not Trust.OWNER for origin in before.origins):
            return None
        return picked(answer, self._earlier(request, before.content), answer.language or request.language)

    def _earlier(self, request: PlannerInput, words: str) -> PlannerOutput | None:
        """Return the output for words in place of the owner's previous message."""
        at = next(n for n, one in reversed(list(enumerate(request.history))) if one.role == "user")
        said = owners(Labelled(value=words, origins=request.words.origins))
        return self._once(replace(request, words=said, history=request.history[:at]))


def built(one: Request, scene: Scene, whole: str, default: str) -> PlannerOutput:
    """Return the plan, question or command for one request."""
    before = " ".join(one.content for one in scene.request.history[-LATELY:] if one.role == "user")
    language = one.language or language_of(one.text) or language_of(before) or default
    said = Said(one, scene, language if language in LANGUAGES else "en", whole)
    builder = BUILDERS.get(one.intent)
    if builder is None:
        return not_understood(one)
    try:
        return _within_its_tools(builder(said), one, scene)
    except Asking as asking:
        return asking.unclear


def _acts(output: PlannerOutput, scene: Scene) -> bool:
    """Return whether an output does more than look, ask or change a waiting card."""
    if isinstance(output, Command):
        return output in {Command.PAUSE, Command.RESUME}
    if not isinstance(output, Planned):
        return isinstance(output, Preference)
    return bool({step.tool_call for step in output.steps} & _acting(scene))


def _acting(scene: Scene) -> set[str]:
    return {spec.tool_name for spec in scene.request.tools if spec.direction is Direction.OUTPUT}


def _within_its_tools(output: PlannerOutput, one: Request, scene: Scene) -> PlannerOutput:
    """Return the plan if its acting tools are all in the intent's table; else that it was not understood."""
    if isinstance(output, Planned):
        used = {step.tool_call for step in output.steps} & _acting(scene)
        if not used <= intents()[one.intent].tools:
            return not_understood(one)
    return output
