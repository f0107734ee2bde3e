"""What a model is told in an expert's place: in which order, with which tools, and with what filled in."""

from dataclasses import replace
from pathlib import Path

import pytest

from butler.orchestrator.experts.building import build_experts
from butler.orchestrator.experts.errors import PlaceholderError
from butler.orchestrator.experts.placeholders import check, filled
from butler.orchestrator.planning.model_prompt import BEYOND, COMMON, instructions, offered, tools_text
from butler.orchestrator.planning.plan_types import PlannerInput
from butler.orchestrator.prompting import render
from tests.orchestrator.embedded.scene import request
from tests.orchestrator.experts.harness import NOTE, SEARCH, SEND, Home

FILLED = {"butler_name": "Jeeves", "preferences": [], "examples": []}


def whole(asked: PlannerInput) -> str:
    """What a model is told, with all tools of the request."""
    return f"{instructions(asked)}\n{tools_text(asked, offered(asked))}"


PROMPTS = Path(__file__).parents[3] / "butler" / "orchestrator" / "prompts"


def test_body_skills_tools_and_common_blocks_come_in_this_order(home: Home):
    home.expert("mail", skills=["sorting", "finding"], fexp_allow_tools=[SEND, SEARCH])
    (expert,) = home.build().all
    told = whole(replace(request("x"), expert=expert))
    parts = [
        "You are Jeeves, the personal butler",
        "Make the shortest plan",
        "You are the mail expert of Jeeves.",
        "The skill sorting.",
        "The skill finding.",
        "set `beyond`",
    ]
    places = [told.index(part) for part in parts]
    assert places == sorted(places)
    assert told.startswith(parts[0])
    assert NOTE not in told
    for tool in (SEND, SEARCH):
        assert f"\n## {tool}" in told
        assert f"\nWhat {tool} is for.\n" in told


def test_every_common_block_is_told_to_all(home: Home):
    home.expert("mail")
    (expert,) = home.build().all
    of_all, own = instructions(request("x")), instructions(replace(request("x"), expert=expert))
    assert {path.stem for path in (PROMPTS / "common").glob("*.md")} == {*COMMON, BEYOND}
    for name in COMMON:
        text = render(f"common/{name}.md", FILLED).split("\n")[0]
        assert text in of_all
        assert text in own
    assert "beyond" not in of_all


def test_the_prompt_of_a_tool_that_is_not_set_up_here_is_left_out(home: Home):
    home.expert("mail", fexp_allow_tools=[SEND, SEARCH])
    (expert,) = home.build().all
    here = tuple(spec for spec in request("x").tools if spec.tool_name != SEND)
    told = whole(replace(request("x", tools=here), expert=expert))
    assert SEARCH in told
    assert SEND not in told


def test_placeholders_are_filled_everywhere_and_nothing_else_is_one(home: Home):
    where = home.expert("mail", skills=["zones"])
    (where / "skills" / "zones.md").write_text('Times are of {{zone}}. {"a": {"b": 1}} stays.')
    home.prompt(SEARCH, "Ask {{ butler_name }}.")
    (expert,) = home.build().all
    told = whole(replace(request("x"), expert=expert))
    assert 'Times are of Europe/Berlin. {"a": {"b": 1}} stays.' in told
    assert "Ask Jeeves." in told


@pytest.mark.parametrize("text", ["{{ x }}", "{{}}", "{{ zone", "{% if x %}", "{# note #}", "{{ zone.key }}"])
def test_a_placeholder_that_nothing_stands_for_is_an_error(text: str):
    with pytest.raises(PlaceholderError):
        check(text, "here")


def test_a_value_is_never_read_as_a_placeholder():
    assert filled("{{ butler_name }}", {"butler_name": "{{ zone }}", "zone": "UTC"}) == "{{ zone }}"


def test_an_experts_prompt_is_shorter_than_that_of_all_tools():
    tools = request("x").tools
    for expert in build_experts().all:
        if any(expert.allows(spec.tool_name) for spec in tools):
            assert len(whole(replace(request("x"), expert=expert))) < len(whole(request("x"))) * 1.2
