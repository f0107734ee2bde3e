"""What is set up and refused is said to be refused, in a chat: to set it up again would not help."""

from dataclasses import replace

import pytest

from butler.contract.integration import IntegrationResult
from butler.orchestrator.embedded.planner import EmbeddedPlanner
from butler.registry import Refusal
from tests.modules._signals.looks import lines
from tests.orchestrator.house import House

METRICS, LOGS, CREATE = "bot_prometheus_query_metrics", "bot_loki_query_logs", "bot_livekit_create_room"
WHY = "its contract was changed"


def refuse(house: House, *names: str) -> None:
    """As a gate does when tools are registered."""
    for name in names:
        spec = house.registry._tools.pop(name)
        house.registry.refusals.append(Refusal(spec, "5 contract_frozen", WHY))


@pytest.fixture
def house(house: House) -> House:
    house.planner = EmbeddedPlanner()
    house.start()
    return house


@pytest.mark.parametrize("words", ["why is the server slow?", "Warum ist der Server langsam?"])
async def test_metrics_that_are_refused_are_not_told_to_be_set_up(house: House, words: str) -> None:
    refuse(house, METRICS)
    house.registry._tools.pop(LOGS)
    await house.say(words)
    assert house.phone.said == [f"{METRICS} is refused: {WHY}."]


async def test_metrics_that_are_refused_are_named_beside_the_logs(house: House) -> None:
    refuse(house, METRICS)
    spec = house.registry._tools[LOGS]
    answer = house.results.setdefault(LOGS, [])
    answer.append(IntegrationResult(ok=True, data=lines((1, "error"))))
    house.registry._tools[LOGS] = replace(spec, handler=house._handle)
    await house.say("why is the server slow?")
    assert f"The metrics are refused, so I only read the logs: {WHY}." in house.phone.said[-1]
    assert "set up" not in house.phone.said[-1]


async def test_calls_that_are_refused_are_not_told_to_be_set_up(house: House) -> None:
    refuse(house, CREATE)
    await house.say("call Anna")
    assert house.phone.said == [f"{CREATE} is refused: {WHY}."]
