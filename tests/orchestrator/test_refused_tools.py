"""What is set up and refused is said to be refused, in a chat: to set it up again would not help."""

from dataclasses import replace

import pytest

from butler.contract.integration import IntegrationResult
from butler.registry import Refusal
from tests.modules._signals.builders import lines
from tests.orchestrator.harness import Harness
from tests.support.reading import reading_planner

METRICS, LOGS, CREATE = "bot_prometheus_query_metrics", "bot_loki_query_logs", "bot_livekit_create_room"
WHY = "its contract was changed"


def refuse(harness: Harness, *names: str) -> None:
    """As a gate does when tools are registered."""
    for name in names:
        spec = harness.registry._tools.pop(name)
        harness.registry.refusals.append(Refusal(spec, "5 contract_frozen", WHY))


@pytest.fixture
def harness(harness: Harness) -> Harness:
    harness.planner = reading_planner()
    harness.start()
    return harness


@pytest.mark.parametrize("words", ["why is the server slow?", "Warum ist der Server langsam?"])
async def test_metrics_that_are_refused_are_not_told_to_be_set_up(harness: Harness, words: str) -> None:
    refuse(harness, METRICS)
    harness.registry._tools.pop(LOGS)
    await harness.say(words)
    assert harness.phone.said == [f"{METRICS} is refused: {WHY}."]


async def test_metrics_that_are_refused_are_named_beside_the_logs(harness: Harness) -> None:
    refuse(harness, METRICS)
    spec = harness.registry._tools[LOGS]
    answer = harness.results.setdefault(LOGS, [])
    answer.append(IntegrationResult(ok=True, data=lines((1, "error"))))
    harness.registry._tools[LOGS] = replace(spec, handler=harness._handle)
    await harness.say("why is the server slow?")
    assert f"The metrics are refused, so I only read the logs: {WHY}." in harness.phone.said[-1]
    assert "set up" not in harness.phone.said[-1]


async def test_calls_that_are_refused_are_not_told_to_be_set_up(harness: Harness) -> None:
    refuse(harness, CREATE)
    await harness.say("call Anna")
    assert harness.phone.said == [f"{CREATE} is refused: {WHY}."]
