"""Daily and monthly limits for the use of language models, counted in the store."""

from datetime import date, datetime
from zoneinfo import ZoneInfo

import sqlalchemy as sa

from butler.agents.errors import ModelUnavailableError
from butler.agents.fallbacks import silently
from butler.contract.ports import Clock
from butler.contract.speech import say
from butler.services import Tell
from butler.store.queries import cursors, model_use
from butler.store.queries.model_use import Used
from butler.store.store import Store
from config.settings import LlmSettings

WARNED = "llm_month_warned"
"""The key of the stored month in which the owner was last warned of the monthly limit."""
NEARLY = 0.8


class StoreBudget:
    """Implements `Budget`: counts by the owner's own day, durably across restarts and crashes."""

    def __init__(self, store: Store, clock: Clock, zone: ZoneInfo, limits: LlmSettings, tell: Tell = silently) -> None:
        self._store, self._clock, self._zone, self._limits, self._tell = store, clock, zone, limits, tell

    async def spend(self, *, requests: int = 0, tokens: int = 0, cost: float = 0.0) -> None:
        now = self._clock.now()
        today = now.astimezone(self._zone).date()

        def work(connection: sa.Connection) -> tuple[str, bool]:
            if requests and (limit := self._used_up(connection, today)):
                return limit, False
            model_use.add(connection, today, Used(requests, tokens, cost))
            return "", bool(cost) and self._nearly(connection, today)

        limit, nearly = await self._store.write(work, "budget")
        if nearly:
            await self._warn(today, now)
        if limit:
            raise ModelUnavailableError(limit)

    def _nearly(self, connection: sa.Connection, today: date) -> bool:
        """Return whether to warn the owner of the monthly limit, at most once a month."""
        near = model_use.of_month(connection, today).cost >= self._limits.monthly_cost_limit * NEARLY
        return near and cursors.fact(connection, WARNED) != f"{today:%Y-%m}"

    async def _warn(self, today: date, now: datetime) -> None:
        month = f"{today:%Y-%m}"
        used = await self._store.read(lambda c: model_use.of_month(c, today))
        text = say(
            "Language models have cost {used} US dollars this month; at {most} I stop asking them ([llm] "
            "monthly_cost_limit)",
            used=f"{used.cost:.2f}",
            most=f"{self._limits.monthly_cost_limit:g}",
        )
        await self._tell(f"llm_month:{month}", text)
        await self._store.write(lambda c: cursors.put_fact(c, WARNED, month, now), "budget.warned")

    def _used_up(self, connection: sa.Connection, today: date) -> str:
        """Return a message on the first limit that is reached."""
        limits, used = self._limits, model_use.of_day(connection, today)
        if used.requests >= limits.daily_request_limit:
            return say(
                "today's limit of {most} requests ([llm] daily_request_limit) is used up; tomorrow there is a new one",
                most=limits.daily_request_limit,
            )
        if used.tokens >= limits.daily_token_limit:
            return say(
                "today's limit of {most} tokens ([llm] daily_token_limit) is used up; tomorrow there is a new one",
                most=limits.daily_token_limit,
            )
        # A model without a price never reaches a limit of 0.
        if used.cost >= limits.daily_cost_limit and used.cost > 0:
            return say(
                "today's limit of {most} US dollars ([llm] daily_cost_limit) is used up; tomorrow there is a new one",
                most=f"{limits.daily_cost_limit:g}",
            )
        month = model_use.of_month(connection, today).cost
        if month >= limits.monthly_cost_limit and month > 0:
            return say(
                "this month's limit of {most} US dollars ([llm] monthly_cost_limit) is used up; next month there is a "
                "new one",
                most=f"{limits.monthly_cost_limit:g}",
            )
        return ""
