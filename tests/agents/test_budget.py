"""A day has only so many requests, tokens and dollars for models, whatever happens to the daemon meanwhile."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from butler.agents.daily_budget import StoreBudget
from butler.agents.errors import ModelUnavailableError
from butler.agents.model import ModelLlm
from butler.store.queries import model_use
from butler.store.store import Store
from config.settings import LlmSettings
from tests.agents.forms import Plan
from tests.agents.wire import CHAT, KEY, WIRES, Broken, ModelServer
from tests.support.tables import create_tables
from tests.support.ticking import Ticking

LATE = datetime(2026, 3, 5, 23, 30, tzinfo=UTC)
NOTE = {"steps": [{"tool": "bot_notes_remember"}]}


class Clock(Ticking):
    def __init__(self) -> None:
        self.time = LATE

    def now(self) -> datetime:
        return self.time

    async def sleep_until(self, when: datetime) -> None:
        self.time = when


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    store = Store(f"sqlite:///{tmp_path}/butler.db")
    create_tables(store.engine)
    yield store
    await store.close()


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    server = ModelServer(CHAT)
    await server.start()
    server.plan(NOTE)
    yield server
    await server.stop()


def budget(store: Store, clock: Clock, **limits: float) -> StoreBudget:
    return StoreBudget(store, clock, ZoneInfo("Europe/London"), LlmSettings.model_validate(limits))


async def fill(server: ModelServer, budget: StoreBudget) -> Plan:
    llm = ModelLlm(LlmSettings(model=server.wire.model, base_url=server.base_url), KEY, budget)
    return await llm.fill(Plan, instructions="", prompt="remember the milk")


@pytest.mark.parametrize(
    ("limits", "answered", "said"),
    [
        ({"daily_request_limit": 2}, 2, r"today's limit of 2 requests \(\[llm\] daily_request_limit\) is used up"),
        ({"daily_token_limit": 1500}, 2, r"today's limit of 1500 tokens \(\[llm\] daily_token_limit\) is used up"),
    ],
)
async def test_a_used_up_day_makes_no_further_request(
    store: Store, server: ModelServer, limits: dict[str, float], answered: int, said: str
) -> None:
    clock = Clock()
    for _ in range(answered):
        await fill(server, budget(store, clock, **limits))
    # A new object over the same rows is what a restart leaves.
    with pytest.raises(ModelUnavailableError, match=said):
        await fill(server, budget(store, clock, **limits))
    assert len(server.requests) == answered


async def test_money_is_counted_where_the_price_is_known(store: Store) -> None:
    server = ModelServer(WIRES["openai"])
    await server.start()
    server.plan(NOTE)
    await fill(server, budget(store, Clock(), daily_cost_limit=0.001))
    with pytest.raises(ModelUnavailableError, match=r"today's limit of 0.001 US dollars"):
        await fill(server, budget(store, Clock(), daily_cost_limit=0.001))
    await server.stop()


async def test_the_month_has_a_limit_too_which_is_told_once_before_it_is_reached(store: Store) -> None:
    told: list[str] = []

    async def tell(key: str, sentence: str) -> None:
        told.append(f"{key}: {sentence}")

    clock = Clock()
    limits = LlmSettings(monthly_cost_limit=10, daily_cost_limit=100)
    month = StoreBudget(store, clock, ZoneInfo("Europe/London"), limits, tell)
    await month.spend(cost=7.9)
    assert told == []
    clock.time = datetime(2026, 3, 20, tzinfo=UTC)
    await month.spend(cost=0.1)
    await month.spend(requests=1)
    await month.spend(cost=1.0)
    (said,) = told
    assert said.startswith("llm_month:2026-03: Language models have cost 8.00 US dollars this month; at 10 I stop")
    await month.spend(cost=1.0)
    with pytest.raises(ModelUnavailableError, match=r"this month's limit of 10 US dollars"):
        await month.spend(requests=1)
    clock.time = datetime(2026, 4, 1, tzinfo=UTC)
    await month.spend(requests=1)


async def test_a_model_without_a_price_is_free(store: Store, server: ModelServer) -> None:
    for _ in range(2):
        await fill(server, budget(store, Clock(), daily_cost_limit=0))


async def test_repairs_count_and_end_with_the_day(store: Store, server: ModelServer) -> None:
    server.answers = [server.wire.text("no form")]
    with pytest.raises(ModelUnavailableError, match="today's limit of 2 requests"):
        await fill(server, budget(store, Clock(), daily_request_limit=2))
    assert len(server.requests) == 2


async def test_the_owners_midnight_starts_a_new_day(store: Store, server: ModelServer) -> None:
    clock = Clock()
    await fill(server, budget(store, clock, daily_request_limit=1))
    clock.time = datetime(2026, 3, 5, 23, 59, 59, tzinfo=UTC)
    with pytest.raises(ModelUnavailableError):
        await fill(server, budget(store, clock, daily_request_limit=1))
    clock.time = datetime(2026, 3, 6, 0, 0, 1, tzinfo=UTC)
    await fill(server, budget(store, clock, daily_request_limit=1))


async def test_a_request_that_fails_is_counted(store: Store, server: ModelServer) -> None:
    server.answers = [401]
    for said in ("refuses the key", "limit of 1 requests"):
        with pytest.raises(ModelUnavailableError, match=said):
            await fill(server, budget(store, Clock(), daily_request_limit=1))


async def shown(text: str) -> None:
    assert text


async def respond(server: ModelServer, budget: StoreBudget) -> Plan | str:
    llm = ModelLlm(LlmSettings(model=server.wire.model, base_url=server.base_url), KEY, budget)
    return await llm.respond(Plan, instructions="", prompt="who rules Paris?", on_text=shown)


async def test_streams_count_as_other_requests_do(store: Store, server: ModelServer) -> None:
    server.answers = [server.wire.text("Its mayor.")]
    for _ in range(2):
        assert await respond(server, budget(store, Clock(), daily_token_limit=1500)) == "Its mayor."
    with pytest.raises(ModelUnavailableError, match="limit of 1500 tokens"):
        await respond(server, budget(store, Clock(), daily_token_limit=1500))
    assert server.streamed == 2


async def test_a_stream_that_broke_off_counts_with_what_was_told_of_it(store: Store) -> None:
    server = ModelServer(WIRES["anthropic"])
    await server.start()
    server.answers = [Broken(server.wire.text("Its mayor, who is one."), 5, "drop")]
    limits = {"daily_request_limit": 1}
    with pytest.raises(ModelUnavailableError, match="broke off in the middle"):
        await respond(server, budget(store, Clock(), **limits))
    used = await store.read(lambda connection: model_use.of_day(connection, LATE.date()))
    assert used.requests == 1
    assert used.tokens >= 900
    assert used.cost > 0
    with pytest.raises(ModelUnavailableError, match="limit of 1 requests"):
        await respond(server, budget(store, Clock(), **limits))
    await server.stop()
