"""Requests begin alike to the byte, and the beginning is marked for the provider's cache, on the wire of each."""

import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from butler.agents.budget import TurnBudget
from butler.agents.model import ModelLlm
from config.settings import LlmSettings
from tests.agents.forms import PLAN, Plan
from tests.agents.wire import KEY, WIRES, Json, ModelServer

PREFIXES = ("tools", "system", "instructions", "systemInstruction", "toolConfig", "prompt_cache_key", "model")
CACHED = {
    "openai": {"input_tokens_details": {"cached_tokens": 800, "cache_write_tokens": 0}},
    "anthropic": {"input_tokens": 100, "cache_read_input_tokens": 800, "cache_creation_input_tokens": 0},
    "google": {"cachedContentTokenCount": 800},
}


@pytest.fixture(params=sorted(WIRES))
async def server(request: pytest.FixtureRequest) -> AsyncIterator[ModelServer]:
    server = ModelServer(WIRES[request.param])
    await server.start()
    server.plan(PLAN)
    yield server
    await server.stop()
    assert server.refused == []


def llm(server: ModelServer, model: str = "") -> ModelLlm:
    return ModelLlm(LlmSettings(model=model or server.wire.model, base_url=server.base_url), KEY)


def beginning(request: Json) -> str:
    """What stands before the owner's words, with its order, as it is on the wire."""
    parts: dict[str, Any] = {name: request[name] for name in PREFIXES if name in request}
    if isinstance(messages := request.get("messages", request.get("input")), list):
        parts["before"] = [message for message in messages if message.get("role") in ("system", "developer")]
    return json.dumps(parts)


async def ask(server: ModelServer, prompt: str, model: str = "", instructions: str = "You plan.") -> Json:
    await llm(server, model).fill(Plan, instructions=instructions, prompt=prompt)
    return server.requests[-1]


async def test_two_requests_begin_alike_to_the_byte(server: ModelServer) -> None:
    first, second = await ask(server, "remember the milk"), await ask(server, "what is on today?")
    assert beginning(first) == beginning(second)
    assert "You plan." in beginning(first)
    assert "What the tool is called with." in beginning(first)
    assert "milk" not in beginning(first)
    assert json.dumps(first) != json.dumps(second)


async def test_anthropic_is_told_to_keep_the_tools_and_the_instructions() -> None:
    server = ModelServer(WIRES["anthropic"])
    await server.start()
    server.plan(PLAN)
    request = await ask(server, "remember the milk")
    assert request["tools"][-1]["cache_control"] == {"type": "ephemeral", "ttl": "5m"}
    assert request["system"][-1] == {
        "type": "text",
        "text": "You plan.",
        "cache_control": {"type": "ephemeral", "ttl": "5m"},
    }
    assert "cache_control" not in json.dumps(request["messages"])
    assert "cache_control" not in request
    await server.stop()
    assert server.refused == []


async def test_openai_is_told_which_requests_begin_alike() -> None:
    server = ModelServer(WIRES["openai"])
    await server.start()
    server.plan(PLAN)
    keys = [
        (await ask(server, prompt, instructions=instructions))["prompt_cache_key"]
        for prompt, instructions in (("a", "You plan."), ("b", "You plan."), ("a", "You read."))
    ]
    assert keys[0] == keys[1] != keys[2]
    assert keys[0].startswith("butler-")
    await server.stop()
    assert server.refused == []


async def test_a_newer_model_of_openai_gets_a_mark_behind_the_instructions() -> None:
    server = ModelServer(WIRES["openai"])
    await server.start()
    server.plan(PLAN)
    request = await ask(server, "remember the milk", model="openai:gpt-5.6")
    marked = [item for item in request["input"] if "prompt_cache_breakpoint" in json.dumps(item)]
    assert [item["role"] for item in marked] == ["system"]
    assert "You plan." in json.dumps(marked)
    assert request["prompt_cache_options"] == {"mode": "explicit", "ttl": "30m"}
    await server.stop()
    assert server.refused == []


@pytest.mark.parametrize("provider", ["openai-chat", "ollama", "google"])
async def test_others_are_told_nothing_that_they_might_refuse(provider: str) -> None:
    server = ModelServer(WIRES[provider])
    await server.start()
    server.plan(PLAN)
    assert "cache" not in json.dumps(await ask(server, "remember the milk"))
    await server.stop()
    assert server.refused == []


@pytest.mark.parametrize("provider", sorted(CACHED))
async def test_what_came_from_the_cache_is_counted_and_costs_less(provider: str) -> None:
    server = ModelServer(WIRES[provider])
    await server.start()
    plain = server.wire.call("final_result", PLAN)
    usage = "usageMetadata" if provider == "google" else "usage"
    costs: list[float] = []
    for answer in (plain, plain | {usage: plain[usage] | CACHED[provider]}):
        server.answers = [answer]
        with TurnBudget(60, 10) as turn:
            await ask(server, "remember the milk")
        assert turn.spent.tokens == 1000
        costs.append(turn.spent.cost)
        cached = turn.spent.cached
    assert cached == 800
    assert 0 < costs[1] < costs[0] * 0.8
    await server.stop()
