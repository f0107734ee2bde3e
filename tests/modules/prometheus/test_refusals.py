"""What goes wrong with Prometheus, or with what stands before it, is told as what it is, and never with the key."""

from collections.abc import AsyncGenerator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError

from butler.contract.errors import IntegrationErrorCode as Code
from butler_demo.prometheus.server import PrometheusServer
from modules.prometheus.config import PrometheusModuleSettings
from tests.adapters.faulty import FaultyProxy, Status
from tests.modules.prometheus.harness import VARIABLE, Harness, harness_on
from tests.modules.prometheus.history import History
from tests.services.prometheus import Prometheus
from tests.support.context import make_context

NOW = datetime(2026, 11, 28, 22, 0, tzinfo=UTC)


@pytest.mark.services
@pytest.mark.parametrize(
    ("query", "kind", "said"),
    [
        ("rate(", "bad_data", "parse error"),
        ("many + on() many", "execution", "many-to-many matching not allowed"),
        ("sum(", "bad_data", "unclosed left parenthesis"),
    ],
)
async def test_prometheus_says_what_is_wrong_with_a_query(
    query: str, kind: str, said: str, harness: Harness, history: History
) -> None:
    result = await harness.query(query=query, before=history.now.isoformat())
    assert result.error is not None
    assert (result.error.code, result.error.provider_code) == (Code.INVALID_INPUT, kind)
    assert said in result.error.message


@pytest.mark.services
async def test_a_text_is_no_value(harness: Harness) -> None:
    result = await harness.query(query='"hello"')
    assert result.error is not None
    assert (result.error.code, result.error.message) == (Code.INVALID_INPUT, "the query gives a text and no numbers")


@pytest.mark.services
async def test_a_wrong_password_is_told_of(prometheus: Prometheus) -> None:
    async with harness_on(prometheus.url, NOW, password="another") as harness:
        result = await harness.query(query="1")
        assert result.error is not None
        assert result.error.code is Code.AUTH_REQUIRED
        assert "another" not in result.error.message
        status = await harness.integration.auth_status()
        assert (status["ok"], status["account"]) == (False, prometheus.url.removeprefix("http://"))
        assert "connect-prometheus.md" in status["todo"]
        (check,) = await harness.module.checks()
        assert not check.ok
        assert check.detail.endswith(f": {result.error.message}")


@pytest.mark.services
async def test_who_is_let_in_is_told_so(harness: Harness) -> None:
    assert (await harness.integration.auth_status())["ok"]
    (check,) = await harness.module.checks()
    assert check.ok


async def test_a_variable_that_is_not_set_is_named() -> None:
    async with harness_on("http://127.0.0.1:9", NOW, context=make_context()) as harness:
        result = await harness.query(query="1")
        assert result.error is not None
        assert (result.error.code, result.error.message) == (Code.AUTH_REQUIRED, f"{VARIABLE} is not set")


async def test_a_span_that_ends_before_it_begins_is_not_asked_for() -> None:
    async with harness_on("http://127.0.0.1:9", NOW) as harness:
        result = await harness.query(query="1", since=(NOW + timedelta(seconds=1)).isoformat())
        assert result.error is not None
        assert (result.error.code, result.error.message) == (Code.INVALID_INPUT, "the time has to begin before it ends")


def refusal(kind: str, error: str = "because") -> dict[str, str]:
    return {"status": "error", "errorType": kind, "error": error}


def success(**data: Any) -> dict[str, Any]:
    return {"status": "success", "data": data}


class TestBehindAProxy:
    """Answers that a healthy server would not give on demand."""

    @pytest.fixture
    async def troubled(self) -> AsyncGenerator[tuple[FaultyProxy, Harness]]:
        server = PrometheusServer(token="the-token")
        await server.start()
        context = make_context(secrets={"TOKEN": "the-token"})
        async with (
            FaultyProxy(server.url) as proxy,
            harness_on(proxy.url, NOW, context=context, token_env="TOKEN") as harness,
        ):
            yield proxy, harness
        await server.stop()

    @pytest.mark.parametrize(
        ("status", "kind", "code"),
        [
            (503, "timeout", Code.TIMEOUT),
            (503, "canceled", Code.TIMEOUT),
            (503, "unavailable", Code.UNAVAILABLE),
            (500, "internal", Code.UNAVAILABLE),
            (404, "not_found", Code.NOT_FOUND),
            (422, "execution", Code.INVALID_INPUT),
            (400, "bad_data", Code.INVALID_INPUT),
            (418, "of another age", Code.REJECTED),
        ],
    )
    async def test_each_kind_of_refusal_has_a_code(
        self, status: int, kind: str, code: Code, troubled: tuple[FaultyProxy, Harness]
    ) -> None:
        proxy, harness = troubled
        with proxy.broken(Status(status, refusal(kind))):
            result = await harness.query(query="1")
        assert result.error is not None
        assert (result.error.code, result.error.http_status) == (code, status)
        assert "\n" not in result.error.message

    async def test_a_key_that_comes_back_in_a_refusal_is_not_told(self, troubled: tuple[FaultyProxy, Harness]) -> None:
        proxy, harness = troubled
        with proxy.broken(Status(400, refusal("bad_data", "you sent Bearer the-token"))):
            result = await harness.query(query="1")
        assert result.error is not None
        assert "the-token" not in result.model_dump_json()

    async def test_what_the_server_remarks_is_kept(self, troubled: tuple[FaultyProxy, Harness]) -> None:
        proxy, harness = troubled
        remarked = {**success(resultType="vector", result=[]), "warnings": ["half of it"], "infos": ["is no counter"]}
        with proxy.broken(Status(200, remarked)):
            data = await harness.data(query="1")
        assert data["warnings"] == ["half of it", "is no counter"]

    async def test_histograms_are_left_out_and_told_of(self, troubled: tuple[FaultyProxy, Harness]) -> None:
        proxy, harness = troubled
        result = [
            {"metric": {"instance": "a"}, "histogram": [1.0, {"count": "1"}]},
            {"metric": {"instance": "b"}, "value": [1.0, "2"]},
        ]
        with proxy.broken(Status(200, success(resultType="vector", result=result))):
            data = await harness.data(query="1")
        assert [series["name"] for series in data["series"]] == ["b"]
        assert data["warnings"] == ["1 of the series are histograms and left out; ask for a quantile"]

    @pytest.mark.parametrize(
        "body",
        [
            {"status": "success"},
            {"status": "half"},
            [],
            success(resultType="tensor", result=[]),
            success(resultType="vector", result={}),
            success(resultType="vector", result=[{"metric": {}, "value": [1]}]),
            success(resultType="vector", result=[{"metric": {}, "value": [1.0, "many"]}]),
            success(resultType="vector", result=[{"metric": {}, "value": [1e300, "1"]}]),
            success(resultType="scalar", result="1"),
        ],
    )
    async def test_an_answer_that_is_none_is_told_of(self, body: Any, troubled: tuple[FaultyProxy, Harness]) -> None:
        proxy, harness = troubled
        with proxy.broken(Status(200, body)):
            result = await harness.query(query="1")
        assert result.error is not None
        assert result.error.code is Code.INVALID_OUTPUT


async def test_the_stand_in_lets_in_who_bears_its_token_only() -> None:
    server = PrometheusServer(token="the-token")
    await server.start()
    for token, ok in (("the-token", True), ("another", False)):
        async with harness_on(server.url, NOW, context=make_context(secrets={"T": token}), token_env="T") as harness:
            assert (await harness.query(query="1")).ok is ok
    await server.stop()


@pytest.mark.parametrize(
    "bot",
    [
        {"token_env": "A", "username": "b", "password_env": "C"},
        {"username": "b"},
        {"password_env": "C"},
        {"url": "prometheus.home.example"},
        {"url": "https://prometheus.home.example/"},
        {"no_such_setting": 1},
        {"signal": [{"name": "Two words", "query": "up"}]},
        {"signal": [{"name": "one", "query": "up"}, {"name": "one", "query": "down"}]},
    ],
)
def test_settings_that_cannot_be_meant_are_refused(bot: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        PrometheusModuleSettings.model_validate({"bot": {"url": "https://prometheus.home.example", **bot}})
