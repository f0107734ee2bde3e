"""The experts that come with the butler: they can be built, and their tools are those that there are."""

from typing import Any

import pytest

from butler.contract.card import rich_text
from butler.contract.names import Identity, ToolName
from butler.contract.speech import say, speak
from butler.offline import offline_registry
from butler.orchestrator.experts.building import build_experts
from butler.orchestrator.experts.expert import Expert
from butler.orchestrator.experts.expert_list import experts_text
from butler.orchestrator.planning.plan_types import Command
from butler.status import StatusAnswers
from config.language import OwnerLanguage

EXPERTS = build_experts()
LEFT_OUT: frozenset[str] = frozenset()
"""Tools that are not installed on purpose."""


@pytest.fixture(params=EXPERTS.all, ids=lambda one: one.name)
def expert(request: pytest.FixtureRequest) -> Expert:
    return request.param


def test_there_are_five():
    assert [one.name for one in EXPERTS.all] == ["calendar", "mail", "operations", "research", "tasks"]


def test_the_tools_that_are_installed_are_those_that_the_modules_have():
    assert {spec.tool_name for spec in offline_registry()[0].specs()} - LEFT_OUT == EXPERTS.installed


def test_an_expert_has_far_fewer_tools_than_there_are(expert: Expert):
    assert len(expert.tools) < len(EXPERTS.installed) / 2
    assert len(expert.body) > 200
    assert len(expert.skills) >= 2


def test_no_topic_belongs_to_two_experts():
    topics = [topic for one in EXPERTS.all for topic in one.topics]
    assert sorted({topic for topic in topics if topics.count(topic) > 1}) == []


def test_who_looks_after_servers_or_does_research_never_acts_in_the_owners_name():
    operations = EXPERTS.called("operations")
    research = EXPERTS.called("research")
    assert operations is not None
    assert research is not None
    assert [one.tool for one in operations.tools if ToolName.parse(one.tool).identity is Identity.USER] == []
    registry, _ = offline_registry()
    assert [one.tool for one in research.tools if registry.spec(one.tool).direction.value == "output"] == []


def test_an_expert_says_what_it_is_in_the_owners_language(expert: Expert):
    speak(OwnerLanguage.GERMAN)
    try:
        assert say(expert.description) != expert.description
        assert f"• @{expert.name}: {say(expert.description)}" in experts_text(EXPERTS)
    finally:
        speak(OwnerLanguage.ENGLISH)


async def test_the_house_answers_who_there_is():
    nothing: Any = None
    harness = StatusAnswers(nothing, nothing, dict, "Jeeves", EXPERTS)
    assert rich_text(await harness.answer(Command.EXPERTS)) == experts_text(EXPERTS)
    nobody = StatusAnswers(nothing, nothing, dict, "Jeeves")
    assert rich_text(await nobody.answer(Command.EXPERTS)) == "There are no experts here."
