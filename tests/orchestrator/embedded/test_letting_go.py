"""`Forget that` asks to forget exactly what was kept or answered just before; a stop is a stop in every language."""
# names: made up here

import pytest

from bench.understanding_scenes import tools
from butler.contract.provenance import Origin
from butler.contract.referents import ReferentKind
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.embedded.stopping import spoken
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerOutput, Unclear
from butler.store.conversation import ConversationMessage, Referent
from tests.orchestrator.embedded import scene
from tests.orchestrator.harness import Harness
from tests.orchestrator.readers import SEARCH, found, passage, wired, worded

FORGET = "bot_memory_forget"
THAT = ["forget that", "Forget this again, please", "Vergiss das wieder!", "oublie ça", "olvida eso"]


def said(words: str) -> tuple[ConversationMessage, ...]:
    own = scene.said("user", words).model_copy(update={"origins": [Origin.owner("telegram:42")]})
    return own, scene.said("assistant", "Noted it.")


def source(number: int, shown_in: str = "m9") -> Referent:
    return Referent(
        handle=f"source-{number}",
        kind=ReferentKind.SOURCE,
        key=f"note:{number}",
        tool=SEARCH,
        ordinal=number,
        shown_in=shown_in,
    )


async def plan(words: str, *shown: Referent, before: str = "") -> PlannerOutput:
    history = said(before) if before else ()
    return await scene.plan(words, history=history, referents=(*scene.SHOWN, *shown), tools=tools())


@pytest.mark.parametrize("words", THAT)
@pytest.mark.parametrize("before", ["remember that my locker is 4711", "Merk dir: my locker is 4711"])
async def test_what_was_just_kept_is_forgotten(words: str, before: str) -> None:
    output = await plan(words, source(1), before=before)
    assert isinstance(output, Planned), output
    (step,) = output.steps
    assert step.tool_call == FORGET
    assert step.args["words"].casefold() == "my locker is 4711"


@pytest.mark.parametrize("words", THAT)
async def test_what_an_answer_was_taken_from_is_forgotten(words: str) -> None:
    output = await plan(words, source(1), before="where is my locker?")
    assert isinstance(output, Planned), output
    assert [(one.tool_call, one.args) for one in output.steps] == [(FORGET, {"source": {"handle": "source-1"}})]


async def test_of_several_sources_it_is_asked_which() -> None:
    output = await plan("forget that", source(1), source(2), before="where is my locker?")
    assert isinstance(output, Unclear)
    assert [choice.words for choice in output.choices] == ["forget source-1", "forget source-2"]


async def test_with_nothing_kept_or_answered_it_is_asked_what() -> None:
    for before in ("", "text Bob: hi"):
        output = await plan("forget that", before=before)
        assert isinstance(output, Unclear)
        assert output.question.startswith("What shall I forget?")


async def test_forgetting_an_answer_waits_for_a_yes(harness: Harness) -> None:
    wired(harness, worded())
    harness.planner = EmbeddedPlanner()
    harness.start()
    harness.results[SEARCH] = [found(passage())]
    await harness.say("what is my rent according to the lease?")
    assert harness.phone.said[-1].startswith("It is 840 euros")
    await harness.say("forget that")
    assert [call for call in harness.calls if call.tool == FORGET] == []
    await harness.tap("Approve")
    (call,) = [call for call in harness.calls if call.tool == FORGET]
    assert call.args.source == passage().source_id


@pytest.mark.parametrize(
    ("words", "command"),
    [
        *((words, Command.PAUSE) for words in (
            "stop", "Stop everything!", "stopp", "Halt", "Hör auf", "arrête", "Arrête tout !", "arrêter", "para",
            "¡Para todo!", "detente", "alto", "abort", "Hör sofort auf!", "Ça suffit", "¡Basta!",
        )),
        *((words, Command.UNDO) for words in (
            "cancel", "cancel that", "abbrechen", "Abbruch!", "brich das ab", "annuler", "annule ça", "cancelar",
            "cancela", "cancélalo",
        )),
        *((words, Command.RESUME) for words in ("resume", "weitermachen", "reprends", "continúa")),
    ],
)  # fmt: skip
async def test_a_stop_and_a_cancel_are_understood_in_every_language(words: str, command: Command) -> None:
    assert spoken(words, "Jeeves") is command
    assert await scene.plan(words) is command
