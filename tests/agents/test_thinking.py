"""How long to think is told on the wire of each provider that can be told, and left out for a model that cannot."""

from typing import Any

import pytest

from butler.agents.model import ModelLlm
from butler.agents.request_settings import LONGEST_ANSWER, LONGEST_THOUGHT
from config.settings import LlmSettings
from tests.agents.forms import PLAN, Plan
from tests.agents.wire import KEY, WIRES, Json, ModelServer

FIELDS = ("thinking", "output_config", "reasoning", "reasoning_effort", "thinkingConfig", "think")


def told(request: Json) -> Json:
    everything: dict[str, Any] = request | request.get("generationConfig", {})
    return {name: everything[name] for name in FIELDS if name in everything}


async def ask(model: str, thinking: str, *, streams: bool = False) -> Json:
    server = ModelServer(WIRES[model.partition(":")[0]])
    await server.start()
    server.plan(PLAN)
    if model.startswith("google"):
        assert model == server.wire.model

    async def show(text: str) -> None:
        assert text

    settings = LlmSettings.model_validate({"model": model, "base_url": server.base_url, "thinking": thinking})
    llm = ModelLlm(settings, KEY)
    if streams:
        await llm.respond(Plan, instructions="You plan.", prompt="remember the milk", on_text=show)
    else:
        await llm.fill(Plan, instructions="You plan.", prompt="remember the milk")
    await server.stop()
    assert server.refused == []
    return server.requests[-1]


@pytest.mark.parametrize("streams", [False, True])
@pytest.mark.parametrize(
    ("model", "thinking", "sent"),
    [
        ("anthropic:claude-haiku-4-5", "off", {}),
        ("anthropic:claude-haiku-4-5", "low", {"thinking": {"type": "enabled", "budget_tokens": 2048}}),
        ("anthropic:claude-haiku-4-5", "high", {"thinking": {"type": "enabled", "budget_tokens": 16384}}),
        ("anthropic:claude-sonnet-5", "off", {"thinking": {"type": "disabled"}}),
        (
            "anthropic:claude-sonnet-5",
            "medium",
            {"thinking": {"type": "adaptive"}, "output_config": {"effort": "medium"}},
        ),
        ("openai:gpt-5.2", "off", {"reasoning": {"effort": "none"}}),
        ("openai:gpt-5.2", "low", {"reasoning": {"effort": "low"}}),
        ("openai:gpt-4o", "high", {}),
        ("google:gemini-2.5-flash", "off", {"thinkingConfig": {"thinking_budget": 0}}),
        ("google:gemini-2.5-flash", "low", {"thinkingConfig": {"include_thoughts": True, "thinking_budget": 2048}}),
        ("openai-chat:qwen3", "off", {"reasoning_effort": "none"}),
        ("openai-chat:qwen3", "medium", {"reasoning_effort": "medium"}),
        ("ollama:qwen3", "off", {"think": False}),
        ("ollama:qwen3", "high", {"think": "high"}),
    ],
)
async def test_the_owner_says_how_long(model: str, thinking: str, sent: Json, *, streams: bool) -> None:
    assert told(await ask(model, thinking, streams=streams)) == sent


@pytest.mark.parametrize("model", [wire.model for name, wire in WIRES.items() if name != "ollama"])
async def test_by_itself_nothing_is_told_and_the_provider_does_what_it_does(model: str) -> None:
    assert told(await ask(model, "auto")) == {}


async def test_a_long_thought_has_room_before_its_answer() -> None:
    assert (await ask("anthropic:claude-haiku-4-5", "high"))["max_tokens"] == LONGEST_THOUGHT > 16384
    assert (await ask("anthropic:claude-haiku-4-5", "medium"))["max_tokens"] == LONGEST_ANSWER
