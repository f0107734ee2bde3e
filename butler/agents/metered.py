"""A model whose requests, retries included, count against the day's and the turn's budget.

It stops at an answer that no retry can correct, before more is spent: a refusal, or an answer that grew too long.
"""

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from butler.agents.budget import current_turn
from butler.agents.errors import ModelOutputError, ModelRefusedError
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
        async with current_turn().thinking() as turn:
            # Counted in advance: a daemon that crashes in every request must not exceed the day's limit.
            if self._day is not None:
                await self._day.spend(requests=1)
            response = await super().request(messages, model_settings, model_request_parameters)
            cost = cost_of(response)
            turn.pay(response.usage.total_tokens, cost)
        if self._day is not None:
            await self._day.spend(tokens=response.usage.total_tokens, cost=cost)
        if response.finish_reason == "content_filter":
            raise ModelRefusedError(say("say it in other words, or do it yourself"))
        if response.finish_reason == "length":
            raise ModelOutputError(say("it became too long and broke off"))
        return response


def cost_of(response: ModelResponse) -> float:
    """Return what a response cost in US dollars; 0 if the model's price is unknown."""
    if not response.model_name:
        return 0.0
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError):
        return 0.0
