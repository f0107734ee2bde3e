"""Who answers where the first model cannot: in the owner's order, told once for each change, never after a refusal."""

from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from pydantic import BaseModel

from butler.agents import fallbacks
from butler.agents.errors import ModelOutputError, ModelRefusedError, ModelUnavailableError, TurnLimitError
from butler.agents.fallbacks import (
    EMBEDDED,
    REST_S,
    ActiveModel,
    FallbackLlm,
    NamedLlm,
    choices,
    key_variables,
    make_llm,
)
from butler.contract.errors import ButlerError, ConfigError
from butler.contract.provenance import Labelled, Origin
from butler.orchestrator.experts.building import build_experts
from butler.orchestrator.planning.factory import make_planner
from butler.orchestrator.planning.fallback_planner import FallbackPlanner
from butler.orchestrator.planning.plan_types import Command, Planned, PlannerInput, Unclear
from config.settings import LlmSettings
from tests.agents.wire import KEY, WIRES, ModelServer
from tests.support.models import FormsOnly

SLOW = ModelUnavailableError("it did not answer in time")
GONE = ModelUnavailableError("it cannot be reached")


class Form(BaseModel):
    by: str


class Scripted(FormsOnly):
    """A model that does what is next in its script; the last thing stays."""

    def __init__(self, name: str, *script: ButlerError | None) -> None:
        self.name, self.script, self.asked = name, list(script), 0

    async def fill(self, form: type[Any], *, instructions: str, prompt: str, check: Any = None) -> Any:
        self.asked += 1
        step = self.script.pop(0) if len(self.script) > 1 else self.script[0]
        if step is not None:
            raise step
        return form(by=self.name)


class Told(list[tuple[str, str]]):
    async def __call__(self, key: str, sentence: str) -> None:
        self.append((key, sentence))


def chain(told: Told, *models: Scripted) -> FallbackLlm:
    return FallbackLlm([NamedLlm(m.name, m) for m in models], ActiveModel(models[0].name, told))


async def asked(llm: FallbackLlm) -> str:
    return (await llm.fill(Form, instructions="", prompt="")).by


@pytest.fixture
def told() -> Told:
    return Told()


@pytest.fixture
def rested(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fallbacks, "REST_S", 0.0)


@pytest.mark.usefixtures("rested")
async def test_each_change_of_who_answers_is_told_once(told: Told) -> None:
    llm = chain(told, Scripted("a:1", None, SLOW, SLOW, None, None), Scripted("b:2", None))
    assert [await asked(llm) for _ in range(5)] == ["a:1", "b:2", "b:2", "a:1", "a:1"]
    assert told == [
        ("model:b:2", "a:1 could not answer: it did not answer in time. Now b:2 answers instead"),
        ("model:a:1", "The language model a:1 answers again"),
    ]


@pytest.mark.usefixtures("rested")
async def test_an_unusable_answer_falls_back_and_the_order_holds(told: Told) -> None:
    second = Scripted("b:2", GONE)
    llm = chain(told, Scripted("a:1", ModelOutputError("it did not fill in")), second, Scripted("c:3", None))
    assert await asked(llm) == "c:3"
    assert second.asked == 1
    assert told == [("model:c:3", "a:1 could not answer: it did not fill in. Now c:3 answers instead")]


@pytest.mark.parametrize("final", [ModelRefusedError("say it in other words"), TurnLimitError("time is up")])
async def test_a_refusal_and_the_turns_end_are_answers_and_nobody_else_is_asked(told: Told, final: ButlerError) -> None:
    other = Scripted("b:2", None)
    with pytest.raises(type(final)):
        await asked(chain(told, Scripted("a:1", final), other))
    assert (other.asked, told) == (0, [])


async def test_where_nobody_answers_each_reason_is_told(told: Told) -> None:
    with pytest.raises(
        ModelUnavailableError, match="a:1: it did not answer in time; b:2: it cannot be reached"
    ) as caught:
        await asked(chain(told, Scripted("a:1", SLOW), Scripted("b:2", GONE)))
    assert str(caught.value).startswith("The language model did not answer: ")
    assert told == []


async def test_a_model_that_did_not_answer_is_passed_over_for_a_while_and_asked_last(told: Told) -> None:
    first, second = Scripted("a:1", SLOW, None), Scripted("b:2", None, None, GONE)
    llm = chain(told, first, second)
    assert [await asked(llm) for _ in range(2)] == ["b:2", "b:2"]
    assert first.asked == 1
    assert await asked(llm) == "a:1"
    assert REST_S > 0


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({"model": "anthropic:a", "fallbacks": ["anthropic:b"]}, [("anthropic:b", "", "BUTLER_LLM_KEY")]),
        (
            {"model": "openai-chat:a", "base_url": "http://home:1/v1", "fallbacks": ["openai-chat:b"]},
            [("openai-chat:b", "http://home:1/v1", "BUTLER_LLM_KEY")],
        ),
        (
            {
                "model": "openai-chat:a",
                "base_url": "http://home:1/v1",
                "fallbacks": ["openai:b", "ollama:c", "embedded"],
            },
            [("openai:b", "", "BUTLER_LLM_KEY_OPENAI"), ("ollama:c", "", "BUTLER_LLM_KEY_OLLAMA")],
        ),
        (
            {"model": "google:a", "api_key_env": "G", "fallbacks": ["openai-chat:b:7b@http://home:8080/v1"]},
            [("openai-chat:b:7b", "http://home:8080/v1", "G_OPENAI_CHAT")],
        ),
    ],
)
def test_a_fallback_has_the_key_and_the_address_of_its_own_provider(settings: Any, expected: list[Any]) -> None:
    given = LlmSettings.model_validate(settings)
    first, *others = choices(given)
    assert first == given
    assert [(one.model, one.base_url, one.api_key_env) for one in others] == expected
    assert key_variables(given) == list(dict.fromkeys([given.api_key_env, *(key for _, _, key in expected)]))


def test_a_fallback_that_cannot_be_used_is_told_at_the_start() -> None:
    with pytest.raises(ConfigError, match="put embedded last"):
        choices(LlmSettings(model="ollama:a", fallbacks=("embedded", "ollama:b")))
    with pytest.raises(ConfigError, match="BUTLER_LLM_KEY_OPENAI holds no key"):
        make_llm(LlmSettings(model="ollama:a", fallbacks=("openai:b",)), {"BUTLER_LLM_KEY": "x"}, None)
    assert make_llm(LlmSettings(), {}, None) is None


async def test_two_real_clients_stand_in_for_one_another(told: Told) -> None:
    first, second = ModelServer(WIRES["openai"]), ModelServer(WIRES["google"])
    for server in (first, second):
        await server.start()
        server.answers = [server.wire.call("final_result", {"by": server.wire.model})]
    first.answers = [401]
    settings = LlmSettings(
        model=first.wire.model, base_url=first.base_url, fallbacks=(f"{second.wire.model}@{second.base_url}",)
    )
    llm = make_llm(settings, {"BUTLER_LLM_KEY": KEY, "BUTLER_LLM_KEY_GOOGLE": KEY}, None, told)
    assert llm is not None
    assert (await llm.fill(Form, instructions="x", prompt="y")).by == "google:gemini-2.5-flash"
    for server in (first, second):
        await server.stop()
        assert server.refused == []
    assert "it refuses the key" in told[0][1]


def request(words: str) -> PlannerInput:
    return PlannerInput(
        words=Labelled(value=words, origins=frozenset({Origin.owner("telegram:42")})),
        source_line="",
        tools=(),
        contacts=(),
        referents=(),
        replied_to=(),
        history=(),
        now=datetime(2026, 3, 5, 12, tzinfo=UTC),
        zone=ZoneInfo("Europe/London"),
        butler_name="Jeeves",
    )


class Planner:
    def __init__(self, outcome: Planned | Unclear | ButlerError) -> None:
        self.outcome = outcome

    async def plan(self, request: PlannerInput) -> Planned | Unclear:
        if isinstance(self.outcome, ButlerError):
            raise self.outcome
        return self.outcome


@pytest.mark.parametrize("error", [SLOW, ModelOutputError("nonsense")])
async def test_the_embedded_planner_plans_what_no_model_would(told: Told, error: ButlerError) -> None:
    planned = Unclear("Who?")
    planner = FallbackPlanner(Planner(error), Planner(planned), ActiveModel("a:1", told))
    assert [await planner.plan(request("x")) for _ in range(2)] == [planned, planned]
    assert [key for key, _ in told] == ["model:embedded"]
    assert "Now the planner without a model answers instead" in told[0][1]


@pytest.mark.parametrize("error", [ModelRefusedError("no"), TurnLimitError("time is up")])
async def test_the_embedded_planner_is_not_asked_after_a_refusal(told: Told, error: ButlerError) -> None:
    planner = FallbackPlanner(Planner(error), Planner(Unclear("Who?")), ActiveModel("a:1", told))
    with pytest.raises(type(error)):
        await planner.plan(request("x"))


async def test_embedded_as_the_last_fallback_answers_where_the_model_is_gone(told: Told) -> None:
    settings = LlmSettings(model="ollama:x", base_url="http://127.0.0.1:1/v1", fallbacks=(EMBEDDED,), timeout_s=2)
    planner = make_planner(make_llm(settings, {}, None, told), build_experts())
    assert await planner.plan(request("what can you do")) is Command.HELP
    assert "it cannot be reached" in told[0][1]
