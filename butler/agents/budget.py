"""The budget of seconds and dollars for one request of the owner, over all its planning rounds and models.

Wrap it around the code that asks models for that request:

        with TurnBudget(limit_s=180, limit_cost=0.25, clock=clock, spent=before) as turn:
            output = await planner.plan(request)
        store(turn.spent)

Every model that is asked inside the block counts, however deep the call. Waiting for the owner, for approvals or for
tools costs nothing. This file loads no model library.
"""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from contextvars import ContextVar, Token
from typing import Protocol, Self

from butler.agents.errors import TurnLimitError, TurnTimeError
from butler.contract.records import Record
from butler.contract.speech import say

UNBOUNDED = float("inf")


class Usage(Record):
    """The usage so far, stored in a row as JSON."""

    seconds: float = 0.0
    cost: float = 0.0
    """US dollars, where the price of the model is known."""
    requests: int = 0
    tokens: int = 0
    cached: int = 0
    """Of the tokens, those that the provider had in its cache."""


class MonotonicClock(Protocol):
    def monotonic(self) -> float: ...


class TurnBudget:
    """The budget of one request, valid for everything that is awaited inside its block; not reentrant.

    `spent` may begin with the usage of earlier rounds. Raises `TurnLimitError`, a `ModelUnavailableError` whose message
    is for the owner, before a request that is over the limit, and during a request that takes too long.
    """

    def __init__(
        self, limit_s: float, limit_cost: float, clock: MonotonicClock | None = None, spent: Usage | None = None
    ) -> None:
        self._limit_s, self._limit_cost, self._clock = limit_s, limit_cost, clock
        self.spent = spent or Usage()
        self._token: Token[TurnBudget] | None = None

    def __enter__(self) -> Self:
        self._token = _CURRENT.set(self)
        return self

    def __exit__(self, *_: object) -> None:
        if self._token is not None:
            _CURRENT.reset(self._token)
            self._token = None

    def pay(self, tokens: int, cost: float, cached: int = 0) -> None:
        """Count what an answer used."""
        before = self.spent
        self.spent = before.model_copy(
            update={
                "tokens": before.tokens + tokens,
                "cost": before.cost + cost,
                "cached": before.cached + cached,
            }
        )

    @asynccontextmanager
    async def thinking(self) -> AsyncGenerator[Self, None]:
        """Time one request to a model, and end it when the turn's time is up."""
        self._check()
        began, left = self._time(), self._limit_s - self.spent.seconds
        self.spent = self.spent.model_copy(update={"requests": self.spent.requests + 1})
        bound = asyncio.timeout(None if left == UNBOUNDED else left)
        try:
            async with bound:
                yield self
        except TimeoutError:
            if not bound.expired():
                raise
            raise TurnTimeError(self._time_is_up()) from None
        finally:
            took = self.spent.seconds + max(0.0, self._time() - began)
            self.spent = self.spent.model_copy(update={"seconds": took})

    def _check(self) -> None:
        if self.spent.seconds >= self._limit_s:
            raise TurnTimeError(self._time_is_up())
        # A model without a price never reaches a limit of 0.
        if self.spent.cost >= self._limit_cost and self.spent.cost > 0:
            text = say(
                "one request may cost {cost:g} US dollars ([llm] turn_cost_limit), and that is used up",
                cost=self._limit_cost,
            )
            raise TurnLimitError(text)

    def _time_is_up(self) -> str:
        return say(
            "one request may take {seconds:g} seconds ([llm] turn_time_limit_s), and those are over",
            seconds=self._limit_s,
        )

    def _time(self) -> float:
        return self._clock.monotonic() if self._clock is not None else asyncio.get_running_loop().time()


_CURRENT: ContextVar[TurnBudget] = ContextVar("turn_budget")


def current_turn() -> TurnBudget:
    """Return the active budget, or one without limits if none was entered."""
    return _CURRENT.get(None) or TurnBudget(UNBOUNDED, UNBOUNDED)
