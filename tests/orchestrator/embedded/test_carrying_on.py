"""`And when?`, `what about Bob?`: a question goes on from the one before, in the owner's own words alone."""
# names: made up here

from typing import Any

import pytest

from bench.understanding_scenes import tools
from butler.agents.tailor.extractive_tailor import ExtractiveTailor
from butler.contract.provenance import Origin, Trust
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.planning.plan_types import Planned, PlannerOutput, Unclear
from butler.store.conversation import ConversationMessage
from tests.orchestrator.embedded import scene
from tests.orchestrator.harness import Harness
from tests.orchestrator.readers import SEARCH, found, passage, remember

OWNER = Origin.owner("telegram:42")
DINNER = "The dinner at the boathouse is on 12 March 2026. It takes place in Harbour Street 4."


def said(words: str, origin: Origin = OWNER) -> ConversationMessage:
    return scene.said("user", words).model_copy(update={"origins": [origin]})


async def ask(words: str, *history: str | ConversationMessage) -> PlannerOutput:
    before: list[ConversationMessage] = []
    for one in history:
        before += [said(one) if isinstance(one, str) else one, scene.said("assistant", "Answered from sources.")]
    return await scene.plan(words, history=tuple(before), tools=tools())


def question(output: PlannerOutput) -> Any:
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert step.tool_call == SEARCH
    return step.args["question"]


@pytest.mark.parametrize(
    ("before", "words", "asked"),
    [
        ("When is the dinner at my boathouse?", "and where?", "where is the dinner at my boathouse"),
        ("When is the dinner at my boathouse?", "Where exactly?", "Where is the dinner at my boathouse"),
        ("What did Anna say about the boat?", "and when was that?", "when did Anna say about the boat"),
        ("is my lease signed?", "And when?", "when: is my lease signed"),
        ("Wo ist das Abendessen am Bootshaus?", "und wann?", "wann ist das Abendessen am Bootshaus"),
        ("Où est le dîner au club ?", "et c'était quand ?", "quand est le dîner au club"),
        ("¿Dónde es la cena en el club?", "¿y cuándo?", "cuándo es la cena en el club"),
    ],
)
async def test_another_thing_is_asked_of_the_same(before: str, words: str, asked: str) -> None:
    assert question(await ask(words, before)) == asked


@pytest.mark.parametrize(
    ("before", "words", "asked"),
    [
        ("what did Anna say about the boat?", "what about Bob?", "what did Bob say about the boat"),
        ("when is Anna's birthday according to my notes?", "and Bob?", "when is Bob's birthday according to my notes"),
        ("what did Anna say about the boat?", "and about the car?", "what did Anna say about the car"),
        ("wann kommt Anna ins Bootshaus?", "und Bob?", "wann kommt Bob ins Bootshaus"),
        ("quand est-ce qu'on voit Anna au club ?", "et Bob ?", "quand est-ce qu'on voit Bob au club"),
        ("¿dónde es la cena con Anna?", "¿y con Bob?", "dónde es la cena con Bob"),
    ],
)
async def test_the_same_is_asked_of_somebody_else(before: str, words: str, asked: str) -> None:
    output = await ask(words, before)
    assert isinstance(output, Planned), output
    assert output.steps[-1].args["question"] == asked


async def test_whom_it_is_from_goes_with_the_name() -> None:
    output = await ask("what about Carol?", "what did Dave say about the boat?")
    assert isinstance(output, Planned), output
    assert output.steps[0].args["person"] == "mail:carol@work.example"


async def test_it_goes_on_from_what_went_on() -> None:
    history = ("what did Anna say about the boat?", "what about Bob?", "and when?")
    assert question(await ask("and where?", *history)) == "where did Bob say about the boat"


async def test_another_look_goes_on_too_and_nothing_that_acts() -> None:
    output = await ask("and from Carol?", "any mail from Anna?")
    assert isinstance(output, Planned), output
    assert output.steps[0].args == {"sender": "carol@work.example"}
    assert isinstance(await ask("and Bob?", "text Anna: are you coming?"), Unclear)


@pytest.mark.parametrize("words", ["and when?", "und wo?", "et quand ?", "¿y dónde?", "when was that?"])
async def test_without_a_question_before_it_is_asked(words: str) -> None:
    for history in ((), ("text Bob: are you coming?",), ("remind me tomorrow at 9 to call Bob",)):
        output = await ask(words, *history)
        assert isinstance(output, Unclear)
        assert output.question.startswith("What is that about?")


async def test_words_that_anybody_else_had_a_hand_in_are_not_gone_on_from() -> None:
    before = said("what did Anna say about the boat?", Origin(trust=Trust.UNTRUSTED, source="mail:x", shown_as="x"))
    assert isinstance(await ask("and when?", before), Unclear)


async def test_a_chat_goes_on_from_its_own_questions_alone(harness: Harness) -> None:
    remember(harness)
    harness.planner, harness.tailor = EmbeddedPlanner(), ExtractiveTailor()
    harness.start()
    harness.results[SEARCH] = [found(passage(DINNER), question="x") for _ in range(2)]
    await harness.say("where is the dinner at my boathouse?")
    await harness.say("and when?", chat="telegram:42:7")
    assert harness.phone.said[-1].startswith("What is that about?")
    await harness.say("and when?")
    asked = [call.args.question for call in harness.calls if call.tool == SEARCH]
    assert asked == ["where is the dinner at my boathouse", "when is the dinner at my boathouse"]
    assert "12 March 2026" in harness.phone.said[-1]
