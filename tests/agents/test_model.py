"""Each provider that `[llm] model` can name, through its real client, against a server that speaks its format."""

import logging
from collections.abc import AsyncIterator
from typing import Any

import aiohttp
import pytest

from butler.agents import model as module
from butler.agents import request_settings
from butler.agents.budget import TurnBudget
from butler.agents.errors import ModelOutputError, ModelRefusedError, ModelUnavailableError
from butler.agents.model import REPAIRS, ModelLlm
from butler.agents.providers import make_model
from butler.agents.request_settings import LONGEST_ANSWER
from butler.contract.errors import ButlerError, ConfigError
from config.settings import LlmSettings
from tests.agents.forms import PLAN, Plan
from tests.agents.wire import KEY, WIRES, Json, ModelServer, Raw, texts


@pytest.fixture(params=sorted(WIRES))
async def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelServer]:
    monkeypatch.setattr(request_settings, "SDK_RETRIES", 0)
    server = ModelServer(WIRES[request.param])
    await server.start()
    yield server
    await server.stop()
    assert server.refused == []


def settings(server: ModelServer, **more: object) -> LlmSettings:
    return LlmSettings.model_validate({"model": server.wire.model, "base_url": server.base_url, "timeout_s": 10} | more)


async def fill(server: ModelServer, llm: ModelLlm | None = None, **more: object) -> Plan:
    llm = llm or ModelLlm(settings(server, **more), KEY)
    return await llm.fill(Plan, instructions="You plan.", prompt="remember the milk")


async def test_a_plan_comes_back_as_a_form_and_the_request_says_what_it_has_to(server: ModelServer) -> None:
    server.plan(PLAN)
    form = await fill(server)
    assert [(s.tool, s.args) for s in form.steps] == [("bot_notes_remember", {"text": "milk"})]
    (request,) = server.requests
    assert any("You plan." in text for text in texts(request))
    assert any("remember the milk" in text for text in texts(request))
    assert KEY in server.headers[0]
    assert KEY not in str(request)


async def test_the_only_tool_that_a_model_is_offered_is_the_form(server: ModelServer) -> None:
    server.plan(PLAN)
    await fill(server)
    (name,) = server.offered()
    assert name == "final_result"
    schema = server.offered()[name]
    assert set(schema["properties"]) == {"steps", "question"}


async def test_what_an_answer_used_is_counted_and_its_length_is_bounded(server: ModelServer) -> None:
    server.plan(PLAN)
    with TurnBudget(60, 1) as turn:
        await fill(server)
    assert (turn.spent.requests, turn.spent.tokens) == (1, 1000)
    assert turn.spent.seconds > 0
    bounds = {"max_tokens", "max_output_tokens", "maxOutputTokens", "max_completion_tokens"}
    request = server.requests[0] | server.requests[0].get("generationConfig", {})
    told = [value for name, value in request.items() if name in bounds]
    assert told == ([] if server.wire.model.startswith(("ollama", "openai-chat")) else [LONGEST_ANSWER])


async def test_a_wrong_form_is_repaired_and_the_model_is_told_what_is_wrong(server: ModelServer) -> None:
    server.plan({"steps": [{"tool": "bot_notes_remember", "verdict": "approved"}]})
    server.plan(PLAN)
    form = await fill(server)
    assert form.steps[0].args == {"text": "milk"}
    assert any("verdict" in text for text in texts(server.requests[1]))


async def test_words_instead_of_a_form_are_repaired(server: ModelServer) -> None:
    server.answers = [server.wire.text("Done! I have sent it."), server.wire.call("final_result", PLAN)]
    assert (await fill(server)).steps[0].tool == "bot_notes_remember"


async def test_a_model_that_never_fills_the_form_is_given_up(server: ModelServer) -> None:
    server.answers = [server.wire.text("Approved and sent.")]
    with pytest.raises(ModelOutputError, match=r"^The language model answered something unusable: .+"):
        await fill(server)
    assert len(server.requests) == REPAIRS + 1


async def test_a_refusal_is_told_plainly_and_no_correction_is_tried(server: ModelServer) -> None:
    llm = ModelLlm(settings(server), KEY)
    for refusal in server.wire.refusals:
        server.requests.clear()
        server.answers = [refusal]
        if server.wire.refusal_is_words:
            with pytest.raises(ModelOutputError, match="did not fill in"):
                await fill(server, llm)
            continue
        with pytest.raises(ModelRefusedError, match="does not want to answer this: say it in other words"):
            await fill(server, llm)
        assert len(server.requests) == 1


async def test_an_answer_that_breaks_off_is_not_asked_for_again(server: ModelServer) -> None:
    server.answers = [server.wire.cut]
    with pytest.raises(ModelOutputError, match="became too long"):
        await fill(server)
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (401, "it refuses the key"),
        (404, "no model of this name"),
        (429, "too fast"),
        (500, "HTTP status 500"),
    ],
)
async def test_a_providers_error_is_one_sentence_without_the_key(
    server: ModelServer, status: int, said: str, caplog: pytest.LogCaptureFixture
) -> None:
    server.answers = [status]
    with caplog.at_level(logging.DEBUG), pytest.raises(ModelUnavailableError, match=said) as caught:
        await fill(server)
    assert str(caught.value).startswith("The language model did not answer: ")
    assert caught.value.__cause__ is None
    assert KEY not in str(caught.value) + repr(caught.value)


async def test_a_used_up_account_and_a_provider_under_load_are_told_apart(server: ModelServer) -> None:
    server.answers = [server.wire.overloaded]
    with pytest.raises(ModelUnavailableError, match=r"(overloaded|serve anybody) at the moment"):
        await fill(server)
    if server.wire.quota is not None:
        server.answers = [server.wire.quota]
        with pytest.raises(ModelUnavailableError, match="the quota is used up; look at your account"):
            await fill(server)


NONSENSE: list[Json | Raw] = [
    Raw("<html>Bad gateway</html>"),
    Raw("[]"),
    Raw("null"),
    Raw('{"a": ' * 5_000),
    {"approved": True},
    {"choices": 1, "output": 1, "content": 1, "candidates": 1},
    {"choices": [{}], "output": [{}], "content": [{}], "candidates": [{}]},
]


async def test_nonsense_is_one_plain_sentence_whatever_it_is(server: ModelServer) -> None:
    llm = ModelLlm(settings(server), KEY)
    for nonsense in NONSENSE:
        server.answers = [nonsense]
        with pytest.raises((ModelUnavailableError, ModelOutputError)) as caught:
            await fill(server, llm)
        assert caught.value.detail in {module.UNREADABLE, "it did not fill in what it was asked for"}
        assert caught.value.__cause__ is None


async def test_a_connection_that_ends_in_the_middle_of_an_answer_is_told(server: ModelServer) -> None:
    server.answers = [Raw('{"id": "x", ', cut=True)]
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        await fill(server)


async def test_what_a_provider_could_not_serve_is_asked_once_more(
    server: ModelServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(request_settings, "SDK_RETRIES", 1)
    server.answers = [server.wire.overloaded, server.wire.call("final_result", PLAN)]
    assert (await fill(server)).steps
    assert len(server.requests) == 2


async def test_silence_ends_in_time(server: ModelServer) -> None:
    server.answers = [0]
    with pytest.raises(ModelUnavailableError, match="did not answer in time"):
        await fill(server, timeout_s=0.4)


async def test_nobody_there_is_said(server: ModelServer) -> None:
    await server.stop()
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        await fill(server, timeout_s=5)


WRONG: dict[str, dict[str, Any]] = {
    "an unknown field": {"surprise": 1},
    "no words": {"messages": [], "input": [], "contents": []},
    "a wrong type": {"messages": "hello", "input": 7, "contents": "hello"},
    "a tool that is none": {"tools": [{"type": "function"}]},
    "an answer to no call": {
        "messages": [
            {"role": "tool", "tool_call_id": "x", "content": "y"},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "x"}]},
        ],
        "input": [{"type": "function_call_output", "call_id": "x", "output": "y"}],
        "contents": [{"role": "user", "parts": [{"functionResponse": {"name": "x", "response": {}}}]}],
    },
}


async def test_the_stand_in_refuses_what_the_provider_would(server: ModelServer) -> None:
    server.plan(PLAN)
    await fill(server)
    sound = server.requests[0]
    fields = {name for name in ("messages", "input", "contents", "tools") if name in sound}
    headers = {"Authorization": f"Bearer {KEY}", "x-goog-api-key": KEY, "anthropic-version": "2023-06-01"}
    url = server.url + server.wire.endpoint
    async with aiohttp.ClientSession() as session:

        async def status(body: Any, given: dict[str, str] = headers, to: str = url) -> int:
            async with session.post(to, json=body, headers=given) as answer:
                assert answer.status == 200 or await answer.json()
                return answer.status

        assert await status(sound) == 200
        for wrong in WRONG.values():
            changed = {name: value for name, value in wrong.items() if name in fields or name == "surprise"}
            assert await status(sound | changed) == 400
        assert await status(sound, {"Authorization": "Bearer another", "anthropic-version": "1"}) == 401
        assert await status(sound, to=f"{url}/more") == 404
        assert await status({}) == 400
    server.refused.clear()


@pytest.mark.parametrize(
    ("model", "key", "said"),
    [
        ("gpt-4o", KEY, "PROVIDER:NAME"),
        ("oracle:delphi", KEY, "knows no provider 'oracle'"),
        ("anthropic:claude-sonnet-5", "", "BUTLER_LLM_KEY holds no key"),
        ("openai:gpt-4o", "", "BUTLER_LLM_KEY holds no key"),
        ("google:gemini-2.5-flash", "", "BUTLER_LLM_KEY holds no key"),
        ("openai-chat:x", "", "BUTLER_LLM_KEY holds no key"),
    ],
)
def test_a_model_that_cannot_be_used_says_what_to_set(model: str, key: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        make_model(LlmSettings(model=model), key)
    assert isinstance(caught.value, ButlerError)


def test_ollama_needs_no_key() -> None:
    make_model(LlmSettings(model="ollama:llama3.2"), "")
