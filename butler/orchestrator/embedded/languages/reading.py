"""Reads a request in German, French or Spanish through the planner's English, and believes only what is faithful to it.

A text that is sent, kept or looked for has to stand in the owner's own words letter for letter, so that nothing which
was put into English on the way is ever taken for what the owner said.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

from butler.contract.provenance import Labelled
from butler.contract.speech import say
from butler.orchestrator.embedded.birthdays import WHOSE
from butler.orchestrator.embedded.languages.canonical import canonical, readings, time_in_english
from butler.orchestrator.embedded.main_clause import sentences_in
from butler.orchestrator.embedded.reminding import THE_MAIL
from butler.orchestrator.embedded.scene import Scene
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput
from butler.store.conversation import ConversationMessage

Read = Callable[[Scene], PlannerOutput | None]
TEXTS = frozenset(
    "text body subject words called question title location name description comment board in_list to_list".split()  # noqa: SIM905 - names
)
"""Arguments that hold the owner's own words."""
NAMED_BY_US = frozenset({"bot_livekit_create_room", "bot_livekit_join_room"})
"""What these are given as a name is a contact's, or ours."""
QUESTION = "question"
OPENING, ENDING = "¿¡ ", " .!?"
MOST = 6
"""Readings that are tried."""


def read_foreign(scene: Scene, read: Read) -> PlannerOutput | None:
    """What `read` makes of a request in another language; None where it is none of these or nobody understands it."""
    words = scene.request.words
    found = readings(words.value, butler_name=scene.request.butler_name, today=scene.now().date())
    scene = replace(scene, translated=True, original=words.value)
    outputs = (_in_own_words(read(_saying(scene, said)), words.value) for said in islice(found, MOST))
    return next((output for output in outputs if output is not None and _faithful(output, words.value)), None)


def in_english(scene: Scene) -> Scene:
    """The scene with all that the owner said put into English, to see whether it answers the question before it."""
    today = scene.now().date()
    name = scene.request.butler_name

    def english(words: str) -> str:
        return canonical(words, butler_name=name, today=today) or time_in_english(words, today) or words

    def put(message: ConversationMessage) -> ConversationMessage:
        return message.model_copy(update={"content": english(message.content)}) if message.role == "user" else message

    before = scene.request.history
    history = tuple(put(message) for message in before)
    said = _saying(scene, english(scene.request.words.value))
    # The question was asked of what stands before it, in whatever language that was.
    return replace(said, request=replace(said.request, history=history), translated=history[-2:] != before[-2:])


def _saying(scene: Scene, words: str) -> Scene:
    """The scene with the request in English; whose words they are stays as it is."""
    said = Labelled(value=words, origins=scene.request.words.origins)
    return replace(scene, request=replace(scene.request, words=said))


def _in_own_words(output: PlannerOutput | None, words: str) -> PlannerOutput | None:
    """The same with a question as the owner put it: whoever answers it reads it in the owner's language."""
    if not isinstance(output, Planned):
        return output
    asked = words.strip().lstrip(OPENING).rstrip(ENDING)
    steps = (
        step.model_copy(update={"args": {**step.args, QUESTION: asked}}) if step.args.get(QUESTION) else step
        for step in output.steps
    )
    return Planned(tuple(steps), output.labels)


def _faithful(output: PlannerOutput, words: str) -> bool:
    """True where each text of a plan stands in the owner's words, or is what a reminder of a mail says by itself."""
    flat = "\n".join(map(_flat, (words, say(THE_MAIL), *sentences_in(words))))
    return not isinstance(output, Planned) or all(
        _stands_in(value, flat)
        for step in output.steps
        if step.tool_call not in NAMED_BY_US
        for value in _texts(step.args)
    )


def _stands_in(value: str, flat: str) -> bool:
    """Whether a text stands there as it is: of a birthday, at least whose it is, for its title is said by ourselves."""
    before, _, after = say(WHOSE, name="{}").casefold().partition("{}")
    text = _flat(value)
    named = text.removeprefix(before).removesuffix(after) if text.startswith(before) and text.endswith(after) else text
    return text in flat or named in flat


def _texts(args: dict[str, Any]) -> Iterator[str]:
    return (value for name, value in args.items() if name in TEXTS and isinstance(value, str))


def _flat(text: str) -> str:
    return " ".join(text.casefold().split())
