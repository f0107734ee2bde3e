"""Orders for again and again are the owner's own words, whichever planner reads all else."""

from dataclasses import replace
from datetime import timedelta

import pytest

from bench.understanding_scenes import request as scene
from bench.understanding_scenes import tools
from butler.orchestrator.planning.card_orders import WaitingCard
from butler.orchestrator.planning.model_planner import MODEL
from butler.orchestrator.planning.order_planner import OrderPlanner
from butler.orchestrator.planning.plan_types import AboutCards, CardAct, Planned, PlannerInput, PlannerOutput, Unclear
from butler.orchestrator.planning.planner_view import Fact, FactName
from butler.orchestrator.planning.tool_arguments import argument_lines
from butler.store.conversation import ConversationMessage
from tests.orchestrator.builders import NOON
from tests.support.reading import reading_planner

ORDER = "every Sunday archive all newsletters that are older than a week"


def request(words: str, *facts: Fact) -> PlannerInput:
    return replace(scene(words, "demo", tools()), facts=facts)


class Model:
    """Plans nothing, and counts how often it is asked."""

    asked = 0

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        del request
        self.asked += 1
        return Planned((), MODEL)


async def test_such_an_order_is_read_without_the_model_and_carries_no_label_of_its() -> None:
    model = Model()
    found = await OrderPlanner(model, reading_planner()).plan(request(ORDER))
    assert isinstance(found, Planned)
    assert "repeat" in found.steps[0].args
    assert not found.labels & MODEL
    assert model.asked == 0


async def test_all_else_is_the_models() -> None:
    model = Model()
    planner = OrderPlanner(model, reading_planner())
    for words in ("archive all newsletters", "what can you do", "every Sunday archive all mails"):
        assert not isinstance(await planner.plan(request(words)), Unclear)
    assert model.asked == 3


async def test_a_letter_and_what_follows_a_round_are_the_models() -> None:
    model, reading = Model(), Model()
    await OrderPlanner(model, reading).plan(request(f"{ORDER} {' and so on' * 100}"))
    fact = Fact(1, "user_email_search_inbox", FactName.COUNT, 2)
    await OrderPlanner(model, reading).plan(request(ORDER, fact))
    assert (model.asked, reading.asked) == (2, 0)


def test_a_model_is_told_neither_of_rules_nor_of_what_is_filled_in() -> None:
    spec = next(tool for tool in request(ORDER).tools if tool.tool_name == "user_email_archive")
    told = {line.split(":")[0].rstrip("*") for line in argument_lines(spec)}
    assert not {"repeat", "snapshot"} & told
    assert "category" in told


async def test_what_is_said_of_a_card_that_waits_is_the_owners_and_no_models() -> None:
    model = Model()
    planner = OrderPlanner(model, reading_planner())
    output = await planner.plan(replace(request("no, don't send it"), card_waits=True))
    assert isinstance(output, AboutCards)
    assert output.act is CardAct.DENY
    assert model.asked == 0
    await planner.plan(request("no, don't send it"))
    assert model.asked == 1


@pytest.mark.parametrize(
    "words",
    [
        "attack keeps",
        "attack words",
        "attack language at once",
        "add a sentence about the weather",
        "change the subject, tell me about Rome",
        "do you think I should send it?",
        "put Good morning sunshine in front",
        "schreib noch danke dazu",
    ],
)
async def test_what_is_not_surely_said_of_a_card_is_the_models(words: str) -> None:
    model = Model()
    await OrderPlanner(model, reading_planner()).plan(replace(request(words), card_waits=True))
    assert model.asked == 1


@pytest.mark.parametrize(
    "words",
    ["make it seven instead", "instead to carol", "make that 15 minutes", "nein, nicht senden", "please send it"],
)
async def test_what_is_plainly_said_of_a_card_is_not_the_models(words: str) -> None:
    planner = OrderPlanner(Model(), reading_planner())
    assert isinstance(await planner.plan(replace(request(words), card_waits=True)), AboutCards)


async def test_a_change_of_what_the_model_has_just_said_is_the_models_and_any_other_is_the_cards() -> None:
    model = Model()
    planner = OrderPlanner(model, reading_planner())
    poem = ConversationMessage(role="assistant", content="Roses are red.", timestamp=NOON, origins=list(MODEL))
    asked = replace(request("make it shorter"), card_waits=True)
    assert isinstance(await planner.plan(asked), AboutCards)
    assert not isinstance(await planner.plan(replace(asked, history=(poem,))), AboutCards)
    assert isinstance(await planner.plan(replace(request("deny all"), card_waits=True, history=(poem,))), AboutCards)


async def test_a_bare_no_is_the_models_where_more_than_the_newest_card_may_be_meant() -> None:
    planner = OrderPlanner(Model(), reading_planner())
    card = WaitingCard("card-1", "a1", 1, "user_telegram_send_message", {}, NOON)
    no = replace(request("no, don't send it"), card_waits=True, cards=(card,))
    before = ConversationMessage(role="user", content="Tell Anna hi.", timestamp=NOON - timedelta(minutes=1))
    since = ConversationMessage(role="user", content="What is the time?", timestamp=NOON + timedelta(minutes=1))
    assert isinstance(await planner.plan(replace(no, history=(before,))), AboutCards)
    assert not isinstance(await planner.plan(replace(no, history=(before, since))), AboutCards)
    assert not isinstance(await planner.plan(replace(no, cards=(card, card))), AboutCards)
