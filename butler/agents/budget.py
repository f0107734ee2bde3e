"""A model that counts each of its requests against the day's budget, repairs included."""

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

from butler.contract.ports import Budget


class BudgetedModel(WrapperModel):
    """Asks the budget before each request, and tells it afterwards what the request used."""

    def __init__(self, wrapped: Model, budget: Budget) -> None:
        super().__init__(wrapped)
        self._budget = budget

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        # Counted before it is made: a daemon that dies in every request must not make more of them than a day allows.
        await self._budget.spend(requests=1)
        response = await super().request(messages, model_settings, model_request_parameters)
        await self._budget.spend(tokens=response.usage.total_tokens, cost=cost_of(response))
        return response


def cost_of(response: ModelResponse) -> float:
    """What a response cost in US dollars; 0 where nobody knows the price of its model."""
    if not response.model_name:
        return 0.0
    try:
        return float(response.cost().total_price)
    except (LookupError, ValueError):
        return 0.0
