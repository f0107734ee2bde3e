"""Answers in words while they come in, through each provider's real client, and forms that come whole."""

import asyncio
from collections.abc import AsyncIterator
from itertools import pairwise
from typing import Literal

import pytest

from butler.agents import request_settings
from butler.agents.budget import TurnBudget
from butler.agents.errors import ModelOutputError, ModelRefusedError, ModelUnavailableError, TurnLimitError
from butler.agents.fallbacks import ActiveModel, FallbackLlm, NamedLlm
from butler.agents.llm import Check
from butler.agents.model import ModelLlm
from config.settings import LlmSettings
from tests.agents.forms import PLAN, Plan
from tests.agents.wire import KEY, WIRES, Broken, ModelServer, Wire, chat

WORDS = "Paris has been the capital of France since 987, with pauses."


def half(wire: Wire, then: Literal["drop", "end", "hang", "fail"]) -> Broken:
    whole = wire.text(WORDS)
    return Broken(whole, len(wire.stream(whole)) // 2, then)


class Shown(list[str]):
    """What `on_text` was given."""

    async def __call__(self, text: str) -> None:
        self.append(text)


async def started(wire: Wire, *answers: object) -> ModelServer:
    server = ModelServer(wire, list(answers))  # pyright: ignore[reportArgumentType] - each is one of its kinds
    await server.start()
    return server


@pytest.fixture(params=sorted(WIRES))
async def server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[ModelServer]:
    monkeypatch.setattr(request_settings, "SDK_RETRIES", 0)
    server = await started(WIRES[request.param])
    yield server
    await server.stop()
    assert server.refused == []


def llm(server: ModelServer, **more: object) -> ModelLlm:
    given = {"model": server.wire.model, "base_url": server.base_url, "timeout_s": 10} | more
    return ModelLlm(LlmSettings.model_validate(given), KEY)


async def respond(
    server: ModelServer, shown: Shown | None = None, check: Check[Plan] | None = None, **more: object
) -> Plan | str:
    return await llm(server, **more).respond(
        Plan, instructions="You plan.", prompt="the capital of France?", check=check, on_text=shown
    )


async def test_words_come_in_piece_by_piece_and_are_in_the_end_what_is_returned(server: ModelServer) -> None:
    server.answers = [server.wire.text(WORDS)]
    shown = Shown()
    with TurnBudget(60, 1) as turn:
        assert await respond(server, shown) == WORDS
    assert len(shown) > 2
    assert all(after.startswith(before) and after != before for before, after in pairwise(shown))
    assert shown[-1] == WORDS
    assert (turn.spent.requests, turn.spent.tokens) == (1, 1000)
    assert server.streamed == 1


async def test_a_form_comes_whole_and_shows_nothing(server: ModelServer) -> None:
    server.plan(PLAN)
    shown = Shown()
    answer = await respond(server, shown)
    assert isinstance(answer, Plan)
    assert answer.steps[0].args == {"text": "milk"}
    assert (shown, server.streamed) == ([], 1)


async def test_what_is_said_before_a_form_is_shown_and_dropped(server: ModelServer) -> None:
    server.answers = [server.wire.both("I note that.", "final_result", PLAN)]
    shown = Shown()
    assert isinstance(await respond(server, shown), Plan)
    assert shown[-1] == "I note that."


async def test_without_anybody_who_looks_nothing_is_streamed(server: ModelServer) -> None:
    server.answers = [server.wire.text(WORDS)]
    assert await respond(server) == WORDS
    assert server.streamed == 0


async def test_a_model_may_answer_in_words_or_with_the_form(server: ModelServer) -> None:
    server.plan(PLAN)
    await respond(server, Shown())
    request = server.requests[0]
    assert list(server.offered()) == ["final_result"]
    told = request.get("tool_choice", request.get("toolConfig", {}).get("functionCallingConfig", {}).get("mode"))
    assert told in (None, "auto", "AUTO", {"type": "auto"})


async def test_a_wrong_form_is_corrected_in_a_stream_too(server: ModelServer) -> None:
    server.plan({"steps": [{"tool": "bot_notes_remember", "verdict": "approved"}]})
    server.plan(PLAN)
    answer = await respond(server, Shown())
    assert isinstance(answer, Plan)
    assert "verdict" in str(server.requests[1])


def wants_two(plan: Plan) -> str:
    return "" if len(plan.steps) == 2 else "two steps are needed, and no other number"


@pytest.mark.parametrize("streams", [False, True])
async def test_a_form_that_fails_its_check_is_corrected_once_and_the_model_is_told_why(
    server: ModelServer, *, streams: bool
) -> None:
    server.plan(PLAN)
    server.plan(PLAN | {"steps": PLAN["steps"] * 2})
    answer = await respond(server, Shown() if streams else None, wants_two)
    assert isinstance(answer, Plan)
    assert len(answer.steps) == 2
    assert "two steps are needed" in str(server.requests[1])


async def test_a_form_that_still_fails_is_returned_as_it_is(server: ModelServer) -> None:
    server.plan(PLAN)
    filled = await llm(server).fill(Plan, instructions="x", prompt="y", check=wants_two)
    assert len(filled.steps) == 1
    assert len(server.requests) == 2


async def test_a_faulty_form_is_better_than_a_correction_that_is_none(server: ModelServer) -> None:
    server.answers = [server.wire.call("final_result", PLAN), server.wire.call("final_result", {"steps": 7})]
    filled = await llm(server).fill(Plan, instructions="x", prompt="y", check=wants_two)
    assert len(filled.steps) == 1


async def test_after_as_many_malformed_forms_as_are_allowed_a_check_asks_no_more(server: ModelServer) -> None:
    wrong = server.wire.call("final_result", {"steps": 7})
    server.answers = [wrong, wrong, server.wire.call("final_result", PLAN)]
    filled = await llm(server).fill(Plan, instructions="x", prompt="y", check=wants_two)
    assert len(filled.steps) == 1
    assert len(server.requests) == 3


@pytest.mark.parametrize("then", ["drop", "end", "fail"])
async def test_a_stream_that_breaks_off_is_no_answer(server: ModelServer, then: Literal["drop", "end", "fail"]) -> None:
    server.answers = [half(server.wire, then)]
    shown = Shown()
    with pytest.raises((ModelUnavailableError, ModelOutputError)) as caught:
        await respond(server, shown)
    assert shown
    assert KEY not in str(caught.value)
    assert caught.value.__cause__ is None


async def test_a_server_may_end_its_answer_with_a_reason_of_its_own() -> None:
    server = await started(WIRES["openai-chat"], chat({"content": WORDS}, "eos"))
    assert await respond(server, Shown()) == WORDS
    await server.stop()


async def test_a_form_that_breaks_off_is_none(server: ModelServer) -> None:
    whole = server.wire.call("final_result", PLAN)
    server.answers = [Broken(whole, after=len(server.wire.stream(whole)) - 3, then="end")]
    with pytest.raises((ModelUnavailableError, ModelOutputError)):
        await respond(server, Shown())


SECONDS = (0.5, 5, 30)
"""On a busy machine the first ones may be over before anything has come."""


async def test_silence_in_the_middle_ends_in_time(server: ModelServer) -> None:
    server.answers = [half(server.wire, "hang")]
    shown = Shown()
    for seconds in SECONDS:
        with pytest.raises(ModelUnavailableError, match="did not answer in time"):
            await respond(server, shown, timeout_s=seconds)
        if shown:
            break
    assert shown
    await asyncio.wait_for(server.left.wait(), 10)


async def test_the_time_of_a_turn_holds_for_a_stream(server: ModelServer) -> None:
    server.answers = [half(server.wire, "hang")]
    shown = Shown()
    for seconds in SECONDS:
        with TurnBudget(seconds, 1) as turn, pytest.raises(TurnLimitError, match=f"{seconds:g} seconds"):
            await respond(server, shown, timeout_s=60)
        assert turn.spent.seconds >= seconds
        if shown:
            break
    assert shown
    await asyncio.wait_for(server.left.wait(), 10)


async def test_who_stops_waiting_closes_the_connection(server: ModelServer) -> None:
    server.answers = [half(server.wire, "hang")]
    began = asyncio.Event()

    async def show(text: str) -> None:
        assert text
        began.set()

    asking = asyncio.create_task(llm(server, timeout_s=60).respond(Plan, instructions="x", prompt="y", on_text=show))
    await asyncio.wait_for(began.wait(), 10)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    await asyncio.wait_for(server.left.wait(), 10)


async def test_a_refusal_in_a_stream_is_told_plainly(server: ModelServer) -> None:
    for refusal in server.wire.refusals:
        server.requests.clear()
        server.answers = [refusal]
        if server.wire.refusal_is_words:
            assert isinstance(await respond(server, Shown()), str)
            continue
        with pytest.raises(ModelRefusedError, match="does not want to answer this"):
            await respond(server, Shown())
        assert len(server.requests) == 1


async def test_a_stream_that_grew_too_long_is_not_asked_for_again(server: ModelServer) -> None:
    server.answers = [server.wire.cut]
    with pytest.raises(ModelOutputError, match="became too long"):
        await respond(server, Shown())
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 500])
async def test_an_error_instead_of_a_stream_is_one_sentence(server: ModelServer, status: int) -> None:
    server.answers = [status]
    with pytest.raises(ModelUnavailableError, match=r"refuses the key|HTTP status 500"):
        await respond(server, Shown())


async def test_an_answer_is_not_lost_because_it_cannot_be_shown(server: ModelServer) -> None:
    server.answers = [server.wire.text(WORDS)]
    calls = 0

    async def fails(text: str) -> None:
        nonlocal calls
        calls += 1
        raise OSError(text)

    assert await llm(server).respond(Plan, instructions="x", prompt="y", on_text=fails) == WORDS
    assert calls == 1


async def test_where_one_model_breaks_off_the_next_begins_anew_and_the_owner_is_told(server: ModelServer) -> None:
    server.answers = [half(server.wire, "end")]
    other = await started(WIRES["openai-chat"], WIRES["openai-chat"].text("It is Paris."))
    told: list[str] = []

    async def announce(key: str, sentence: str) -> None:
        told.append(sentence)

    both = FallbackLlm([NamedLlm("a:1", llm(server)), NamedLlm("b:2", llm(other))], ActiveModel("a:1", announce))
    shown = Shown()
    answer = await both.respond(Plan, instructions="x", prompt="y", on_text=shown)
    assert answer == shown[-1] == "It is Paris."
    assert WORDS.startswith(shown[0])
    assert both.answering.current == "b:2"
    assert told == ["a:1 could not answer: its answer broke off in the middle. Now b:2 answers instead"]
    await other.stop()
