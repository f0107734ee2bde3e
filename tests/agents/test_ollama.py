"""Ollama through its own API: the context is as long as it was set, and what does not fit is told instead of cut."""

from collections.abc import AsyncIterator
from dataclasses import replace

import aiohttp
import pytest

from butler.agents.errors import ModelUnavailableError
from butler.agents.model import ModelLlm
from butler.agents.ollama import address_of
from config.settings import LlmSettings
from tests.agents.forms import PLAN, Plan
from tests.agents.wire import KEY, WIRES, Fault, Json, ModelServer
from tests.agents.wire_ollama import CHARACTERS, CONTEXT, answer, call, seen

RULE = "Nothing is sent without asking."
LONG = "and then, and then, " * (2 * CONTEXT * CHARACTERS // 20)
"""Words of twice the context that Ollama has by itself."""


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    server = ModelServer(WIRES["ollama"])
    await server.start()
    server.plan(PLAN)
    yield server
    await server.stop()


def llm(server: ModelServer, **more: object) -> ModelLlm:
    given = {"model": server.wire.model, "base_url": server.url, "timeout_s": 10} | more
    return ModelLlm(LlmSettings.model_validate(given), KEY)


async def ask(server: ModelServer, prompt: str = "remember the milk", **more: object) -> Json:
    await llm(server, **more).fill(Plan, instructions=RULE, prompt=prompt)
    assert server.refused == []
    return server.requests[-1]


async def test_ollama_by_itself_forgets_the_instructions_and_says_nothing(server: ModelServer) -> None:
    """The stand-in cuts as the server does, or the tests below would prove nothing."""
    body = {"model": "qwen3", "messages": [{"role": "system", "content": RULE}, {"role": "user", "content": LONG}]}
    async with aiohttp.ClientSession() as session, session.post(f"{server.url}/api/chat", json=body) as response:
        assert response.status == 200
    assert RULE not in seen(server.requests[-1])


async def test_the_whole_request_reaches_the_model(server: ModelServer) -> None:
    request = await ask(server, LONG)
    assert request["options"]["num_ctx"] == 16_384
    assert RULE in seen(request)
    assert LONG in seen(request)


async def test_the_owner_sets_the_length(server: ModelServer) -> None:
    request = await ask(server, LONG, context=32_768)
    assert request["options"]["num_ctx"] == 32_768


async def test_what_does_not_fit_is_told_and_nothing_is_answered_from_a_part_of_it(server: ModelServer) -> None:
    with pytest.raises(ModelUnavailableError, match=r"longer than its context; see \[llm\] context"):
        await llm(server, context=4_096).fill(Plan, instructions=RULE, prompt=LONG)
    assert server.requests == []
    assert len(server.refused) == 1


async def test_the_address_for_clients_of_openai_is_understood_too(server: ModelServer) -> None:
    await ask(server, base_url=f"{server.url}/v1/")
    assert address_of("") == "http://localhost:11434"
    assert address_of("http://nas/ollama/v1") == "http://nas/ollama"


@pytest.mark.parametrize(
    ("thinking", "sent"), [("auto", False), ("off", False), ("low", "low"), ("medium", "medium"), ("high", "high")]
)
async def test_how_long_to_think_is_told(server: ModelServer, thinking: str, sent: object) -> None:
    assert (await ask(server, thinking=thinking))["think"] == sent


async def test_a_model_that_cannot_think_is_asked_without_it_from_then_on(server: ModelServer) -> None:
    server.answers = [Fault(400, {"error": '"llama3.2" does not support thinking'}), call("final_result", PLAN)]
    model = llm(server, thinking="high")
    for _ in range(2):
        await model.fill(Plan, instructions=RULE, prompt="remember the milk")
    assert [request.get("think") for request in server.requests] == ["high", None, None]


async def test_what_it_thought_is_no_part_of_the_answer(server: ModelServer) -> None:
    server.answers = [answer({"thinking": "The owner asks for the capital.", "content": "It is Paris."})]
    shown: list[str] = []

    async def show(text: str) -> None:
        shown.append(text)

    assert await llm(server).respond(Plan, instructions=RULE, prompt="?", on_text=show) == "It is Paris."
    assert shown[-1] == "It is Paris."
    assert "asks" not in "".join(shown)


async def test_what_was_wrong_goes_back_with_the_call_it_was_about(server: ModelServer) -> None:
    server.answers = [call("final_result", {"steps": 7}), call("final_result", PLAN)]
    request = await ask(server)
    _, _, called, came = request["messages"]
    assert called["tool_calls"][0]["function"] == {"name": "final_result", "arguments": {"steps": 7}}
    assert came["role"] == "tool"
    assert came["tool_name"] == "final_result"
    assert "steps" in came["content"]


async def test_a_model_without_tools_is_told_plainly(server: ModelServer) -> None:
    server.answers = [Fault(400, {"error": "registry.ollama.ai/library/gemma:2b does not support tools"})]
    with pytest.raises(ModelUnavailableError, match="it cannot call tools"):
        await ask(server)


async def test_a_model_that_is_not_there_is_told_plainly(server: ModelServer) -> None:
    server.answers = [Fault(404, {"error": "model 'qwen3' not found"})]
    with pytest.raises(ModelUnavailableError, match="no model of this name"):
        await ask(server)


async def test_another_server_at_home_says_too_that_a_request_does_not_fit() -> None:
    """llama.cpp's server has its length from its own start."""
    error = {"code": 400, "message": "request (13392 tokens) exceeds the available context size (8192 tokens)"}
    body = {"error": error | {"type": "exceed_context_size_error", "n_ctx": 8192}}
    server = ModelServer(replace(WIRES["openai-chat"], overloaded=Fault(400, body)), [Fault(400, body)])
    await server.start()
    with pytest.raises(ModelUnavailableError, match="longer than its context"):
        await llm(server, base_url=server.base_url).fill(Plan, instructions=RULE, prompt=LONG)
    await server.stop()
