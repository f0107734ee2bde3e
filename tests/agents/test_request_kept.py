"""Whatever becomes of a request to any provider: the owner reads one plain sentence, and a tap tries it again."""

from collections.abc import AsyncIterator
from typing import Any

import pytest

from butler.agents import request_settings
from butler.agents.model import ModelLlm
from butler.orchestrator.planning.model_planner import ModelPlanner
from butler.store.store import Store
from config.settings import LlmSettings
from tests.agents.wire import KEY, WIRES, Broken, ModelServer
from tests.orchestrator.harness import NOTE, Harness
from tests.support.tables import create_tables

WORDS = "note that we need milk"
NOTED = {"steps": [{"tool": NOTE, "args": {"text": "milk"}}]}


@pytest.fixture(params=sorted(WIRES))
async def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelServer]:
    monkeypatch.setattr(request_settings, "SDK_RETRIES", 0)
    server = ModelServer(WIRES[request.param])
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def harness(server: ModelServer) -> AsyncIterator[Harness]:
    store = Store("sqlite://")
    create_tables(store.engine)
    harness = Harness(store)
    await harness.meet()
    asks(harness, server)
    yield harness
    await store.close()


def asks(harness: Harness, server: ModelServer, timeout_s: float = 20) -> None:
    settings = LlmSettings(model=server.wire.model, base_url=server.base_url, timeout_s=timeout_s)
    harness.planner = ModelPlanner(ModelLlm(settings, KEY))
    harness.start()


def troubles(server: ModelServer) -> dict[str, Any]:
    """What may go wrong, and what is said of it."""
    wire = server.wire
    told: dict[str, Any] = {
        "it refuses the key": 401,
        "too fast": 429,
        "HTTP status 500": 500,
        "at the moment": wire.overloaded,
        "did not fill in": wire.call("final_result", {"steps": 7}),
        "broke off in the middle": Broken(wire.text("Done, or nearly so."), 4, "drop"),
    }
    told |= {"the quota is used up": wire.quota} if wire.quota else {}
    return told if wire.refusal_is_words else told | {"does not want to answer": wire.refusal()}


async def test_what_went_wrong_is_said_and_a_tap_tries_it_again(harness: Harness, server: ModelServer) -> None:
    for said, answer in troubles(server).items():
        server.answers = [answer]
        await harness.say(WORDS)
        told = harness.phone.said[-1]
        assert said in told
        assert told.endswith("Your request is kept; tap to try it again.")
        assert KEY not in told
    asks(harness, server, timeout_s=0.3)
    server.answers = [0]
    await harness.say(WORDS)
    assert "did not answer in time" in harness.phone.said[-1]
    asks(harness, server)
    server.answers = [server.wire.call("final_result", NOTED)]
    await harness.tap("Try again")
    assert harness.phone.said[-1] == "📝 Noted: milk"
