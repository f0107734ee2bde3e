"""Every provider call goes through one door: checked, bounded, retried only where that is safe, typed when it fails."""

import asyncio
import logging
from dataclasses import replace
from typing import Any

import pytest
from pydantic import BaseModel, ConfigDict

from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault, SealedError
from butler.contract.integration import (
    READS,
    Idempotency,
    IntegrationCall,
    Method,
    RateLimitHint,
    RawAnswer,
    ResultProvenance,
    RetryPolicy,
    method,
)


class Args(BaseModel):
    model_config = ConfigDict(extra="forbid")

    number: int


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    double: int


class Provider(BaseIntegration):
    """Answers as it is told; counts how often it was asked."""

    provider = "example"

    def __init__(self, probe: Any = None) -> None:
        self.asked = 0
        self.script: list[Any] = []
        self.limit: RateLimitHint | None = None
        super().__init__(probe)

    def methods(self) -> list[Method]:
        return [
            method(
                "example.numbers.double.v1",
                args=Args,
                answer=Answer,
                run=self._raw,
                idempotency=Idempotency.READ,
                rate_limit=RateLimitHint(calls=2, per_s=0.2),
            ),
            method("example.numbers.send.v1", args=Args, answer=Answer, run=self._raw, idempotency=Idempotency.NONE),
        ]

    async def auth_status(self) -> dict[str, Any]:
        return {"ok": True, "account": "", "detail": "", "todo": ""}

    async def _raw(self, call: IntegrationCall, args: Args) -> RawAnswer:
        del call
        self.asked += 1
        step = self.script.pop(0) if self.script else None
        if isinstance(step, Exception):
            raise step
        if step == "hang":
            await asyncio.sleep(60)
        data = step if isinstance(step, dict) else {"double": args.number * 2}
        return RawAnswer(data, provider_request_id="r1", next_cursor="c2", provenance=ResultProvenance(source_type="x"))


FAST = RetryPolicy(max_attempts=3, backoff_s=0.001)
UNAVAILABLE = IntegrationFault(IntegrationErrorCode.UNAVAILABLE, "it is down", effect=Effect.NONE)


def call(name: str = "double", **more: Any) -> IntegrationCall:
    return IntegrationCall(trace_id="t", method_id=f"example.numbers.{name}.v1", **{"args": {"number": 2}, **more})


@pytest.fixture
def provider() -> Provider:
    return Provider()


async def code(provider: Provider, **more: Any) -> tuple[IntegrationErrorCode, Effect]:
    result = await provider.call(call(**more))
    assert not result.ok
    assert result.data is None
    assert result.error is not None
    return result.error.code, result.error.effect


async def test_a_good_call_gives_checked_data_and_what_is_known_of_it(provider: Provider):
    result = await provider.call(call())
    assert result.ok
    assert result.data == {"double": 4}
    assert (result.meta.provider_request_id, result.meta.next_cursor) == ("r1", "c2")
    assert result.meta.latency_ms > 0


async def test_an_unknown_method_is_refused(provider: Provider):
    assert await code(provider, name="halve") == (IntegrationErrorCode.UNKNOWN_METHOD, Effect.NONE)
    assert provider.asked == 0


async def test_bad_input_is_refused_before_the_provider_is_asked_and_the_value_is_not_repeated(provider: Provider):
    result = await provider.call(call(args={"number": "my secret"}))
    assert result.error is not None
    assert result.error.code is IntegrationErrorCode.INVALID_INPUT
    assert "secret" not in result.error.message
    assert provider.asked == 0


async def test_bad_output_is_an_error_and_an_effect_behind_it_counts_as_done(provider: Provider):
    provider.script = [{"triple": 6}, {"triple": 6}]
    assert await code(provider) == (IntegrationErrorCode.INVALID_OUTPUT, Effect.NONE)
    assert await code(provider, name="send") == (IntegrationErrorCode.INVALID_OUTPUT, Effect.DONE)


async def test_a_time_out_of_a_read_has_no_effect_and_of_a_send_an_unknown_one(provider: Provider):
    provider.script = ["hang", "hang"]
    assert await code(provider, timeout_ms=20) == (IntegrationErrorCode.TIMEOUT, Effect.NONE)
    assert await code(provider, name="send", timeout_ms=20) == (IntegrationErrorCode.TIMEOUT, Effect.UNKNOWN)


async def test_a_call_without_effect_is_tried_again_as_the_policy_says(provider: Provider):
    provider.script = [UNAVAILABLE, UNAVAILABLE]
    assert (await provider.call(call(retry_policy=FAST))).ok
    assert provider.asked == 3


async def test_an_unclear_effect_is_never_repeated(provider: Provider):
    provider.script = [IntegrationFault(IntegrationErrorCode.UNAVAILABLE, "connection lost")]
    assert await code(provider, name="send", retry_policy=FAST) == (IntegrationErrorCode.UNAVAILABLE, Effect.UNKNOWN)
    assert provider.asked == 1


async def test_a_failure_that_stays_is_not_retried(provider: Provider):
    provider.script = [IntegrationFault(IntegrationErrorCode.AUTH_REQUIRED, "signed out", http_status=401)]
    assert await code(provider, retry_policy=READS) == (IntegrationErrorCode.AUTH_REQUIRED, Effect.NONE)
    assert provider.asked == 1


async def test_a_wait_longer_than_the_policy_allows_is_given_back_at_once(provider: Provider):
    provider.script = [IntegrationFault(IntegrationErrorCode.RATE_LIMITED, "slow down", retry_after_s=600)]
    result = await provider.call(call(retry_policy=FAST))
    assert result.error is not None
    assert (result.error.retry_after_s, result.error.retriable, provider.asked) == (600, True, 1)


async def test_a_dry_run_checks_and_does_nothing(provider: Provider):
    result = await provider.call(call("send", dry_run=True))
    assert result.data == {"dry_run": True, "args": {"number": 2}}
    assert (await provider.call(call("send", dry_run=True, args={}))).error is not None
    assert provider.asked == 0


async def test_no_provider_exception_gets_out_and_its_text_is_nowhere(
    provider: Provider, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
):
    caplog.set_level(logging.DEBUG)
    provider.script = [RuntimeError("https://api.example/bot123:SECRET/sendMessage")]
    result = await provider.call(call("send"))
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.INTERNAL, Effect.UNKNOWN)
    said = result.model_dump_json() + caplog.text + "".join(capsys.readouterr())
    assert "SECRET" not in said
    assert "RuntimeError" in result.error.message


async def test_a_credential_that_cannot_be_opened_wants_a_sign_in_and_had_no_effect(provider: Provider):
    provider.script = [SealedError("its key is missing")]
    result = await provider.call(call("send"))
    assert result.error is not None
    assert (result.error.code, result.error.message) == (IntegrationErrorCode.AUTH_REQUIRED, "its key is missing")
    assert result.error.effect is Effect.NONE


async def test_the_published_rate_is_kept(provider: Provider):
    loop = asyncio.get_running_loop()
    started = loop.time()
    await asyncio.gather(*(provider.call(call()) for _ in range(5)))
    assert loop.time() - started >= 0.39


async def test_a_probe_hears_of_every_try():
    heard: list[str] = []

    class Probe:
        def before_call(self, call: IntegrationCall) -> None:
            heard.append(f"before {call.method_id}")

        def after_call(self, call: IntegrationCall, result: Any) -> None:
            heard.append(f"after {call.method_id} {result.ok}")

    provider = Provider(Probe())
    provider.script = [UNAVAILABLE]
    await provider.call(call("send", retry_policy=FAST))
    name = "example.numbers.send.v1"
    assert heard == [f"before {name}", f"after {name} False", f"before {name}", f"after {name} True"]


def test_methods_are_published_with_versioned_ids_and_schemas(provider: Provider):
    double, send = provider.describe_methods()
    assert double.input_schema["properties"]["number"]["type"] == "integer"
    assert send.provider == "example"
    with pytest.raises(ValueError, match="method_id"):
        method("double", args=Args, answer=Answer, run=provider.call, idempotency=Idempotency.READ)  # pyright: ignore[reportArgumentType]


async def test_a_cancellation_that_meets_the_answer_is_not_lost(provider: Provider):
    """`asyncio.wait_for` before Python 3.12 gives the answer and forgets that it was cancelled."""
    answered = asyncio.get_running_loop().create_future()

    async def raw(call: IntegrationCall, args: Args) -> RawAnswer:
        del call, args
        await answered
        return RawAnswer({"double": 4})

    provider._door._methods["example.numbers.send.v1"] = replace(
        provider._door._methods["example.numbers.send.v1"], run=raw
    )
    calling = asyncio.create_task(provider.call(call("send")))
    await asyncio.sleep(0)
    answered.set_result(None)
    await asyncio.sleep(0)
    if calling.cancel():
        with pytest.raises(asyncio.CancelledError):
            await calling
    else:
        assert (await calling).ok


def nested(levels: int) -> Any:
    answer: Any = "the end"
    for _ in range(levels):
        answer = [answer]
    return answer


@pytest.mark.parametrize(("name", "effect"), [("double", Effect.NONE), ("send", Effect.UNKNOWN)])
async def test_an_answer_that_is_nested_too_deeply_to_be_walked_through_is_a_bad_answer(
    provider: Provider, name: str, effect: Effect
):
    provider.script = [RecursionError()]
    result = await provider.call(call(name))
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.INVALID_OUTPUT, effect)
    assert result.error.message == "the answer is nested too deeply"


async def test_an_answer_that_is_nested_too_deeply_to_be_written_is_a_bad_answer(provider: Provider):
    class Anything(BaseModel):
        found: Any

    name = "example.numbers.send.v1"
    provider._door._methods[name] = replace(
        provider._door._methods[name], answer=Anything, run=_answering({"found": nested(400)})
    )
    result = await provider.call(call("send"))
    assert result.error is not None
    assert (result.error.code, result.error.effect) == (IntegrationErrorCode.INVALID_OUTPUT, Effect.DONE)


def _answering(data: dict[str, Any]) -> Any:
    async def raw(call: IntegrationCall, args: Args) -> RawAnswer:
        del call, args
        return RawAnswer(data)

    return raw
