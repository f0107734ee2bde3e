"""One stand-in with a bot and two people, the real client on it, and a raw one for what the real never sends."""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

import aiohttp
import pytest
import telegram

from butler_demo.botapi.server import BotApiServer

TOKEN = "700123:test-token"
OTHER_TOKEN = "700456:other-token"
SAM, EVE, STRANGER = 42, 666, 99


class TurnableClock:
    def __init__(self) -> None:
        self.time = 1_790_000_000.0

    def __call__(self) -> float:
        return self.time


@dataclass(frozen=True)
class Raw:
    """Plain HTTP: `await raw("sendMessage", chat_id=42, text="hi")` answers (status, body)."""

    session: aiohttp.ClientSession
    server: BotApiServer

    async def __call__(self, method: str, /, *, token: str = TOKEN, **params: Any) -> tuple[int, dict[str, Any]]:
        async with self.session.post(f"{self.server.url}/bot{token}/{method}", json=params) as response:
            return response.status, await response.json()

    async def refusal(self, method: str, /, **params: Any) -> tuple[int, str]:
        status, body = await self(method, **params)
        assert body["ok"] is False
        assert body["error_code"] == status
        return status, body["description"]

    async def result(self, method: str, /, **params: Any) -> Any:
        status, body = await self(method, **params)
        assert status == 200, body
        return body["result"]


@pytest.fixture
def durations_as_timedelta(monkeypatch: pytest.MonkeyPatch) -> None:
    """The client's newer reading of seconds; the older one warns on each use."""
    monkeypatch.setenv("PTB_TIMEDELTA", "1")


@pytest.fixture
def clock() -> TurnableClock:
    return TurnableClock()


@pytest.fixture
async def server(clock: TurnableClock) -> AsyncIterator[BotApiServer]:
    server = BotApiServer(now=clock)
    server.add_bot(TOKEN, "jeeves_bot", "Jeeves")
    server.add_bot(OTHER_TOKEN, "other_bot", "Other")
    server.add_person(SAM, "Sam", "sam")
    server.add_person(EVE, "Eve")
    server.add_person(STRANGER, "Stranger")
    await server.start()
    yield server
    await server.stop()


@pytest.fixture
async def raw(server: BotApiServer) -> AsyncIterator[Raw]:
    server.say(TOKEN, SAM, "/start")
    async with aiohttp.ClientSession() as session:
        yield Raw(session, server)


@pytest.fixture
async def bot(server: BotApiServer) -> AsyncIterator[telegram.Bot]:
    async with telegram.Bot(TOKEN, base_url=f"{server.url}/bot", base_file_url=f"{server.url}/file/bot") as client:
        yield client
