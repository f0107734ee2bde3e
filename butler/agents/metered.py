"""A model whose requests, retries included, count against the day's and the turn's budget.

It stops at an answer that no retry can correct, before more is spent: a refusal, or an answer that grew too long.
"""

from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from pydantic_ai import RunContext
from pydantic_ai.exceptions import ModelAPIError, ModelConnectionError, ModelTimeoutError
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from butler.agents.budget import current_turn
from butler.agents.errors import ModelOutputError, ModelRefusedError, ModelUnavailableError
from butler.agents.llm import Budget
from butler.contract.speech import say


class MeteredModel(WrapperModel):
    """Checks both budgets before each request, and reports its usage to them afterwards.

    Raises `ModelRefusedError`, `ModelOutputError`, and what the budgets raise.
    """

    def __init__(self, wrapped: Model, day: Budget | None) -> None:
        super().__init__(wrapped)
        self._day = day

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        async with current_turn().thinking():
            await self._begin()
            response = await super().request(messages, model_settings, model_request_parameters)
            await self._pay(response)
        _look_at_the_end(response)
        return response

    @asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: RunContext[Any] | None = None,
    ) -> AsyncGenerator[StreamedResponse]:
        async with current_turn().thinking():
            await self._begin()
            async with super().request_stream(
                messages, model_settings, model_request_parameters, run_context
            ) as stream:
                try:
                    with _as_broken_off():
                        yield stream
                finally:
                    # One that was broken off costs what the provider has reported of it so far.
                    await self._pay(stream.get())
        response = stream.get()
        # A server may end its answer with a reason that is not known here.
        if response.finish_reason is None and not (response.provider_details or {}).get("finish_reason"):
            raise _broken_off()
        _look_at_the_end(response)

    async def _begin(self) -> None:
        # Counted in advance: a daemon that crashes in every request must not exceed the day's limit.
        if self._day is not None:
            await self._day.spend(requests=1)

    async def _pay(self, response: ModelResponse) -> None:
        tokens, cost = response.usage.total_tokens, cost_of(response)
        current_turn().pay(tokens, cost, response.usage.cache_read_tokens)
        if self._day is not None:
            await self._day.spend(tokens=tokens, cost=cost)


@contextmanager
def _as_broken_off() -> Generator[None]:
    """Tell what ends a stream without another reason, such as the end of its connection."""
    try:
        yield
    except ModelTimeoutError:
        raise
    except ModelAPIError as error:
        if isinstance(error, ModelConnectionError) or type(error) is ModelAPIError:
            raise _broken_off() from None
        raise


def _broken_off() -> ModelUnavailableError:
    return ModelUnavailableError(say("its answer broke off in the middle"))


def _look_at_the_end(response: ModelResponse) -> None:
    """Raise the error of an answer that no retry can correct."""
    if response.finish_reason == "content_filter":
        raise ModelRefusedError(say("say it in other words, or do it yourself"))
    if response.finish_reason == "length":
        raise ModelOutputError(say("it became too long and broke off"))


def cost_of(response: ModelResponse) -> float:
    """Return what a response cost in US dollars; 0 if the model's price is unknown."""
    if not response.model_name:
        return 0.0
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError):
        return 0.0
