"""The evaluation sets are understood as far as promised, as the product does it, and a guess never acts."""
# names: made up here

from collections.abc import Sequence

import pytest

from bench.understanding import Request, Score, requests
from bench.understanding_scenes import request, tools
from butler.agents.embedding.e5 import MultilingualE5
from butler.contract.names import Direction
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.orchestrator.embedded.routed import routed
from butler.orchestrator.embedded.router import MADE_BY, Meaning, Router, exemplars
from butler.orchestrator.embedded.scene import scene_of
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerOutput, Unclear
from tests.orchestrator.embedded.conftest import Scores
from tests.support.nightly import all_but_the_first

LANGUAGES = ("en", "de", "fr", "es")
EXACT, WRONG = 0.95, 0.03
UNTOUCHED, FALSE_ACTIONS = 0.9, 0.01


def share(scores: Sequence[Score], verdict: str) -> float:
    return sum(score.verdict == verdict for score in scores) / len(scores)


@pytest.mark.parametrize(("language", "least"), [("en", 800), ("de", 200), ("fr", 200), ("es", 200)])
def test_the_set_holds_hundreds_of_requests_each_once(language: str, least: int) -> None:
    every = list(requests(language))
    assert len(every) >= least
    assert len({one.id for one in every}) == len(every)
    assert len({(one.text, one.scene) for one in every}) == len(every)
    assert all(len(one.expected) == 1 for one in every)
    assert 0.4 < sum(one.is_test for one in every) / len(every) < 0.6


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_expected_tool_exists(language: str) -> None:
    known = {spec.tool_name for spec in tools()}
    assert {step["tool"] for one in requests(language) for step in one.expected.get("steps", ())} <= known


@pytest.mark.timeout(120)
@pytest.mark.parametrize("language", all_but_the_first(LANGUAGES))
def test_the_half_for_tuning_is_understood(language: str, scores: Scores) -> None:
    tuning = [score for score in scores(language) if not score.request.is_test]
    assert share(tuning, "exact") >= EXACT
    assert share(tuning, "wrong") <= WRONG


@pytest.mark.timeout(120)
@pytest.mark.parametrize("language", all_but_the_first(LANGUAGES))
def test_the_untouched_half_holds_what_is_promised(language: str, scores: Scores) -> None:
    untouched = [score for score in scores(language) if score.request.is_test]
    assert share(untouched, "exact") >= UNTOUCHED
    assert sum(score.false_action for score in untouched) / len(untouched) <= FALSE_ACTIONS


@pytest.mark.timeout(120)
@pytest.mark.parametrize("language", all_but_the_first(LANGUAGES))
def test_nobody_else_is_ever_written_to(language: str, scores: Scores) -> None:
    assert not any(score.wrong_recipient for score in scores(language))


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
    output = await EmbeddedPlanner(router).plan(request("who is the best singer of our time?", "demo", tools()))
    assert isinstance(output, Unclear)
    (look,) = output.choices
    again = await EmbeddedPlanner(router).plan(request(look.words, "demo", tools()))
    assert isinstance(again, Planned)
    assert [step.tool_call for step in again.steps] == ["bot_memory_search"]
