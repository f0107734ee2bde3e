"""Each provider that `[llm] model` can name, through its real client, against a server that speaks its format."""

import logging
from collections.abc import AsyncIterator

import pytest

from butler.agents.model import REPAIRS, ModelLlm, make_model
from butler.contract.errors import ButlerError, ConfigError, ModelOutputError, ModelUnavailableError
from butler.orchestrator.model_planner import PlanForm
from config.settings import LlmSettings
from tests.agents.wire import KEY, WIRES, ModelServer, texts

STEP = {"tool": "bot_notes_remember", "args": {"text": "milk"}, "depends_on": []}
PLAN = {"steps": [STEP], "question": "", "command": None}


@pytest.fixture(params=sorted(WIRES))
async def server(request: pytest.FixtureRequest) -> AsyncIterator[ModelServer]:
    server = ModelServer(WIRES[request.param])
    await server.start()
    yield server
    await server.stop()


def settings(server: ModelServer, **more: object) -> LlmSettings:
    return LlmSettings.model_validate({"model": server.wire.model, "base_url": server.base_url, "timeout_s": 10} | more)


async def fill(server: ModelServer, **more: object) -> PlanForm:
    llm = ModelLlm(settings(server, **more), KEY)
    return await llm.fill(PlanForm, instructions="You plan.", prompt="remember the milk")


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
    assert set(schema["properties"]) == {"steps", "question", "stranger", "command"}


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
    assert len(server.requests) <= REPAIRS + 1


async def test_a_refusal_is_told_plainly(server: ModelServer) -> None:
    server.answers = [server.wire.refusal()]
    with pytest.raises(ModelOutputError, match="The language model answered something unusable: it"):
        await fill(server)
    assert len(server.requests) <= REPAIRS + 1


@pytest.mark.parametrize(
    ("status", "said"),
    [(401, "it refuses the key"), (404, "no model of this name"), (429, "too fast"), (500, "HTTP status 500")],
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
    assert len(server.requests) <= 2


async def test_silence_ends_in_time(server: ModelServer) -> None:
    server.answers = [0]
    with pytest.raises(ModelUnavailableError, match="did not answer in time"):
        await fill(server, timeout_s=0.4)


async def test_nobody_there_is_said(server: ModelServer) -> None:
    await server.stop()
    with pytest.raises(ModelUnavailableError, match="cannot be reached"):
        await fill(server, timeout_s=5)


@pytest.mark.parametrize(
    ("model", "key", "said"),
    [
        ("gpt-4o", KEY, "PROVIDER:NAME"),
        ("oracle:delphi", KEY, "knows no provider 'oracle'"),
        ("anthropic:claude-sonnet-5", "", "BUTLER_LLM_KEY holds no key"),
    ],
)
def test_a_model_that_cannot_be_used_says_what_to_set(model: str, key: str, said: str) -> None:
    with pytest.raises(ConfigError, match=said) as caught:
        make_model(LlmSettings(model=model), key)
    assert isinstance(caught.value, ButlerError)
