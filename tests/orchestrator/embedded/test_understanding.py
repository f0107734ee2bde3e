"""The evaluation set is understood by grammar alone as far as promised, and a guess never acts."""
# names: made up here

import asyncio
from collections.abc import Sequence

import pytest

from bench.understanding import Request, Score, requests, scored
from bench.understanding_scenes import request, tools
from butler.agents.embedding.e5 import MultilingualE5
from butler.contract.names import Direction
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.embedded.routed import routed
from butler.orchestrator.embedded.router import MADE_BY, Meaning, Router, exemplars
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning import Command, Planned, PlannerOutput, Unclear

EXACT, WRONG = 0.95, 0.02


@pytest.fixture(scope="module")
def scores() -> Sequence[Score]:
    """Without the router, which takes its time and guesses at few of them."""
    return asyncio.run(scored(requests("en")))


@pytest.fixture(scope="module")
def router() -> Router:
    return Router(MultilingualE5())


def share(scores: Sequence[Score], verdict: str) -> float:
    return sum(score.verdict == verdict for score in scores) / len(scores)


def test_the_set_has_at_least_three_hundred_requests_each_once() -> None:
    every = list(requests("en"))
    assert len(every) >= 300
    assert len({one.id for one in every}) == len(every)
    assert len({(one.text, one.scene) for one in every}) == len(every)
    assert all(len(one.expected) == 1 for one in every)
    assert 0.4 < sum(one.is_test for one in every) / len(every) < 0.6


def test_every_expected_tool_exists() -> None:
    known = {spec.tool_name for spec in tools()}
    assert {step["tool"] for one in requests("en") for step in one.expected.get("steps", ())} <= known


def test_the_half_for_tuning_is_understood(scores: Sequence[Score]) -> None:
    tuning = [score for score in scores if not score.request.is_test]
    assert share(tuning, "exact") >= EXACT
    assert share(tuning, "wrong") <= WRONG


def test_the_untouched_half_holds_what_is_promised(scores: Sequence[Score]) -> None:
    untouched = [score for score in scores if score.request.is_test]
    assert share(untouched, "exact") >= 0.9
    assert not any(score.wrong_recipient for score in untouched)
    assert sum(score.false_action for score in untouched) / len(untouched) <= 0.01


async def plan(words: str, router: Router | None = None, scene: str = "demo") -> PlannerOutput:
    return await EmbeddedPlanner(router).plan(request(words, scene, tools()))


@pytest.mark.parametrize(
    ("words", "tool"),
    [
        ("what did the letter from the insurance say about the excess", "bot_memory_search"),
        ("what time does the evening class begin", "bot_memory_search"),
        ("could you look into my mailbox", "user_email_search_inbox"),
    ],
)
async def test_what_no_grammar_knows_is_looked_for_where_it_is_likely(words: str, tool: str, router: Router) -> None:
    output = await plan(words, router)
    assert isinstance(output, Planned), output
    assert output.steps[0].tool_call == tool


@pytest.mark.parametrize(
    "words",
    [
        "will it rain tomorrow", "who is the prime minister of Italy", "how do I cook pasta", "that is funny",
        "what is the meaning of life", "play some jazz", "I told her yesterday",
    ],
)  # fmt: skip
async def test_the_world_at_large_and_small_talk_are_not_looked_for(words: str, router: Router) -> None:
    assert isinstance(await plan(words, router), Unclear)


@pytest.mark.parametrize("meaning", [meaning for meaning in Meaning if meaning is not Meaning.NOTHING])
def test_a_guess_alone_never_sends_keeps_or_forgets(meaning: Meaning) -> None:
    acting = {spec.tool_name for spec in tools() if spec.direction is Direction.OUTPUT}
    for _, words in exemplars():
        output = routed(meaning, scene_of(request(words, "demo", tools())))
        assert not isinstance(output, Planned) or not acting & {step.tool_call for step in output.steps}


async def test_without_a_router_what_no_grammar_knows_is_asked() -> None:
    assert isinstance(await plan("what are you good for"), Unclear)


async def test_a_guess_may_be_a_command(router: Router) -> None:
    assert await plan("what sort of things can I tell you", router) is Command.HELP


def test_the_router_was_made_for_the_embedder_that_is_shipped() -> None:
    assert MultilingualE5().name == MADE_BY


def test_an_exemplar_stands_under_one_kind_only() -> None:
    said = [words for _, words in exemplars()]
    assert len(set(said)) == len(said)


@pytest.mark.parametrize("words", ["", " ", "x" * 301])
def test_nothing_and_a_long_text_are_never_guessed_at(words: str, router: Router) -> None:
    assert router.meaning(words) is None


def test_a_request_counts_as_exact_only_with_all_its_arguments() -> None:
    asked = Request("1", "k", "t", {"steps": [{"tool": "a", "args": {"x": 1}}]})
    assert Score(asked, {"steps": [{"tool": "a", "args": {"x": 1}}]}, 0, False, False).verdict == "exact"
    assert Score(asked, {"steps": [{"tool": "a", "args": {"x": 2}}]}, 0, False, False).verdict == "wrong"
    assert Score(asked, {"ask": True}, 0, False, False).verdict == "asked"


async def test_what_seems_idle_can_still_be_looked_for_with_a_tap(router: Router) -> None:
    output = await EmbeddedPlanner(router).plan(request("when is the dinner on Friday?", "demo", tools()))
    assert isinstance(output, Unclear)
    (look,) = output.choices
    again = await EmbeddedPlanner(router).plan(request(look.words, "demo", tools()))
    assert isinstance(again, Planned)
    assert [step.tool_call for step in again.steps] == ["bot_memory_search"]
