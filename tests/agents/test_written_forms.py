"""A form that a model writes as words instead of calling its tool is read, or the model is told what is wrong."""

import json
from collections.abc import AsyncIterator

import pytest

from butler.agents.model import REPAIRS, ModelLlm
from config.settings import LlmSettings
from tests.agents.forms import PLAN, Plan
from tests.agents.wire import CHAT, KEY, WIRES, ModelServer
from tests.agents.wire_openai import chat_call

WRITTEN = json.dumps(PLAN)


@pytest.fixture(params=["ollama", "openai-chat"])
async def server(request: pytest.FixtureRequest) -> AsyncIterator[ModelServer]:
    server = ModelServer(WIRES[request.param])
    await server.start()
    yield server
    await server.stop()
    assert server.refused == []


async def respond(server: ModelServer, shown: list[str]) -> Plan | str:
    async def show(text: str) -> None:
        shown.append(text)

    llm = ModelLlm(LlmSettings(model=server.wire.model, base_url=server.base_url), KEY)
    return await llm.respond(Plan, instructions="You plan.", prompt="remember the milk", on_text=show)


@pytest.mark.parametrize(
    "words",
    [
        WRITTEN,
        f"```json\n{WRITTEN}\n```",
        f"```\n{WRITTEN}\n```",
        json.dumps({"name": "final_result", "arguments": PLAN}),
        json.dumps({"name": "final_result", "parameters": PLAN}),
        f'<tool_call>\n{{"name": "final_result", "arguments": {WRITTEN}}}\n</tool_call>',
    ],
)
async def test_a_form_in_words_is_one_and_is_never_shown(server: ModelServer, words: str) -> None:
    server.answers = [server.wire.text(words)]
    shown: list[str] = []
    answer = await respond(server, shown)
    assert isinstance(answer, Plan)
    assert answer.steps[0].args == {"text": "milk"}
    assert (shown, len(server.requests)) == ([], 1)


@pytest.mark.parametrize("words", [WRITTEN[:-2] + "}}", '{"steps": [{"tool": 7}]}', '{"steps": [], "verdict": "yes"}'])
async def test_one_that_cannot_be_read_is_corrected_with_what_is_wrong(server: ModelServer, words: str) -> None:
    server.answers = [server.wire.text(words), server.wire.call("final_result", PLAN)]
    assert isinstance(await respond(server, []), Plan)
    assert "Call the tool instead of writing its arguments" in json.dumps(server.requests[1])
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    "words",
    [
        "Paris.",
        'Write {"steps": 3} into the file.',
        'A JSON object looks like this:\n```json\n{"steps": 1}\n```',
        '{"city": "Paris"}',
        "```python\nprint(1)\n```",
        "{curly} braces are nothing",
    ],
)
async def test_words_that_hold_json_are_words(server: ModelServer, words: str) -> None:
    server.answers = [server.wire.text(words)]
    assert await respond(server, []) == words


async def test_malformed_arguments_of_a_call_are_corrected_with_the_error() -> None:
    server = ModelServer(CHAT, [chat_call("final_result", WRITTEN[:-3]), chat_call("final_result", PLAN)])
    await server.start()
    assert isinstance(await respond(server, []), Plan)
    assert "Invalid JSON" in json.dumps(server.requests[1]["messages"][-1])
    assert len(server.requests) == 2 <= REPAIRS + 1
    await server.stop()
    assert server.refused == []
