"""Thinking about one request has an end, in time and in money, over all its rounds."""

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from butler.agents.budget import TurnBudget, Usage, current_turn
from butler.agents.errors import ModelUnavailableError, TurnLimitError
from butler.agents.model import ModelLlm
from config.settings import LlmSettings
from tests.agents.forms import Plan
from tests.agents.wire import KEY, WIRES, ModelServer


class Clock:
    time = datetime(2026, 3, 5, tzinfo=UTC)

    def now(self) -> datetime:
        return self.time

    def monotonic(self) -> float:
        return self.time.timestamp()


async def think(seconds: float, clock: Clock, tokens: int = 0, cost: float = 0.0) -> None:
    async with current_turn().thinking() as turn:
        clock.time += timedelta(seconds=seconds)
        turn.pay(tokens, cost)


async def test_time_counts_over_all_rounds_and_waiting_between_them_does_not() -> None:
    clock = Clock()
    with TurnBudget(10, 1, clock) as turn:
        await think(6, clock, 500, 0.1)
        clock.time += timedelta(hours=5)
        await think(3, clock)
    assert turn.spent == Usage(seconds=9, cost=0.1, requests=2, tokens=500)
    with TurnBudget(10, 1, clock, turn.spent) as later:
        await think(3, clock)
        with pytest.raises(TurnLimitError, match=r"one request may take 10 seconds \(\[llm\] turn_time_limit_s\)"):
            await think(1, clock)
    assert later.spent.requests == 3


async def test_money_ends_a_turn_before_the_next_request() -> None:
    clock = Clock()
    with TurnBudget(10, 0.25, clock):
        await think(1, clock, cost=0.3)
        with pytest.raises(
            ModelUnavailableError, match=r"I stopped thinking about this: one request may cost 0\.25 US"
        ):
            await think(1, clock)


async def test_a_model_without_a_price_is_never_too_dear() -> None:
    clock = Clock()
    with TurnBudget(10, 0, clock):
        await think(1, clock)
        await think(1, clock)


async def test_one_request_that_hangs_ends_with_the_turns_time() -> None:
    with TurnBudget(0.05, 1) as turn:
        with pytest.raises(TurnLimitError):
            async with current_turn().thinking():
                await asyncio.Event().wait()
        assert turn.spent.seconds >= 0.05


async def test_turns_side_by_side_count_apart() -> None:
    async def one(cost: float) -> float:
        clock = Clock()
        with TurnBudget(10, 10, clock) as turn:
            await think(1, clock, cost=cost)
            await asyncio.sleep(0)
            await asyncio.create_task(think(1, clock, cost=cost))
        return turn.spent.cost

    assert await asyncio.gather(one(1), one(2)) == [2, 4]
    assert current_turn().spent == Usage()


@pytest.mark.nightly
async def test_a_real_client_is_stopped_in_the_middle_and_told_plainly() -> None:
    server = ModelServer(WIRES["anthropic"], [0])
    await server.start()
    llm = ModelLlm(LlmSettings(model=server.wire.model, base_url=server.base_url), KEY)
    for seconds in (0.3, 3, 30):
        with TurnBudget(seconds, 1), pytest.raises(TurnLimitError, match=f"{seconds:g} seconds"):
            await llm.fill(Plan, instructions="x", prompt="y")
        # On a busy machine the time may be over before the server is asked.
        if server.requests:
            break
    assert (asked := len(server.requests)) == 1
    await server.stop()
    await server.start()
    server.answers = [server.wire.call("final_result", {})]
    llm = ModelLlm(LlmSettings(model=server.wire.model, base_url=server.base_url), KEY)
    with TurnBudget(60, 0.000_001) as turn:
        await llm.fill(Plan, instructions="x", prompt="y")
        assert turn.spent.cost > 0
        with pytest.raises(TurnLimitError, match="turn_cost_limit"):
            await llm.fill(Plan, instructions="x", prompt="y")
    assert len(server.requests) == asked + 1
    await server.stop()
