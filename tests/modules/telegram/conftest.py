"""The module on a strict Bot API server over loopback, with a context in memory."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from butler.contract.backoff import Backoff
from butler.contract.inbound import Inbound
from butler.contract.integration import IntegrationResult
from butler.contract.module import ModuleContext
from butler.contract.tools import ToolCall, ToolSpec
from butler_demo.botapi.server import BotApiServer
from modules.telegram.config import TelegramSettings
from modules.telegram.module import BotSide, TelegramModule
from modules.telegram.source_bot import BotSource
from modules.telegram.source_bot_hook import BotHookSource
from tests.support.context import (
    OWNER_ID,
    FixedOwner,
    MemoryBlobs,
    MemoryCursors,
    MemorySink,
    RecordingProbe,
    TurnedClock,
    make_context,
)

TOKEN = "700123:AAF-test_token-1234567890"
TOKEN_VARIABLE = "BUTLER_TELEGRAM_TOKEN"
OWNER, EVE, ANNA = OWNER_ID, 666, 5
GROUP = -4001
OFFSET = "telegram.bot.700123.offset"


class ServerTime:
    """The server's clock, which a test may turn."""

    def __init__(self) -> None:
        self.ahead = 0.0

    def __call__(self) -> float:
        return datetime.now(UTC).timestamp() + self.ahead


@dataclass
class Harness:
    """A module with its server and fakes at hand."""

    server: BotApiServer
    context: ModuleContext
    module: TelegramModule
    api_url: str
    settings: dict[str, Any] = field(default_factory=dict)

    @property
    def bot(self) -> BotSide:
        assert self.module.bot is not None
        return self.module.bot

    @property
    def sink(self) -> MemorySink:
        return cast("MemorySink", self.context.inbox.sink)

    @property
    def cursors(self) -> MemoryCursors:
        return cast("MemoryCursors", self.context.storage.cursors)

    @property
    def blobs(self) -> MemoryBlobs:
        return cast("MemoryBlobs", self.context.storage.blobs)

    @property
    def owner(self) -> FixedOwner:
        return cast("FixedOwner", self.context.owner)

    @property
    def clock(self) -> TurnedClock:
        return cast("TurnedClock", self.context.clock)

    @property
    def probe(self) -> RecordingProbe:
        return cast("RecordingProbe", self.context.probe)

    def restarted(self, **bot: Any) -> "Harness":
        """The same rows under a new process: nothing in memory is kept."""
        return build(self.server, self.context, self.settings | bot, self.api_url)

    @asynccontextmanager
    async def polling(self) -> AsyncIterator[BotSource | BotHookSource]:
        """The source runs until the block ends; a failure of it fails the test."""
        source = self.bot.source
        task = asyncio.create_task(source.run())
        try:
            yield source
        finally:
            running = not task.done()
            task.cancel()
            outcome = (await asyncio.gather(task, return_exceptions=True))[0]
            await self.module.stop()
        if not running or not isinstance(outcome, asyncio.CancelledError):
            raise AssertionError("the source ended by itself") from outcome

    async def taken(self) -> list[Inbound]:
        """All that is stored, once Telegram has been told of everything."""
        await self.server.wait_for(lambda: self.server.pending_updates(TOKEN) == 0)
        return self.sink.items

    def sent(self, chat_id: int = OWNER) -> list[dict[str, Any]]:
        """What the bot has in a chat now."""
        messages = self.server.messages(TOKEN, chat_id)
        return [message for message in messages if message["from"]["id"] == int(TOKEN.partition(":")[0])]

    def calls(self, method: str) -> list[Any]:
        return [call for call in self.server.calls if call.method == method]

    def tool(self, name: str) -> ToolSpec:
        specs = [*self.module.bot_inputs(), *self.module.bot_outputs()]
        return cast("ToolSpec", next(spec for spec in specs if spec.tool_name == name))

    async def use(self, name: str, **args: Any) -> IntegrationResult:
        """Call a tool as the registry does."""
        spec = self.tool(name)
        return await spec.handler(ToolCall(tool=name, args=spec.args.model_validate(args), call_id="c", trace_id="t"))


def build(server: BotApiServer, context: ModuleContext, bot: dict[str, Any], api_url: str) -> Harness:
    settings = TelegramSettings.model_validate({"bot": {"api_base_url": api_url, **bot}})
    module = TelegramModule(settings, context)
    assert module.bot is not None
    module.bot.source._backoff = Backoff(first_s=0.01, longest_s=0.05)
    return Harness(server, context, module, api_url, bot)


@pytest.fixture
def server_time() -> ServerTime:
    return ServerTime()


@pytest.fixture
async def server(server_time: ServerTime) -> AsyncIterator[BotApiServer]:
    server = BotApiServer(now=server_time)
    server.add_bot(TOKEN, "jeeves_bot", "Jeeves")
    server.add_person(OWNER, "Sam", "sam")
    server.add_person(EVE, "Eve", "eve")
    server.add_person(ANNA, "Anna")
    await server.start()
    yield server
    await server.stop()


MakeHouse = Callable[..., Harness]


@pytest.fixture
async def make_harness(server: BotApiServer) -> AsyncIterator[MakeHouse]:
    harnesses: list[Harness] = []

    def make(*, secrets: dict[str, str] | None = None, public_url: str = "", **bot: Any) -> Harness:
        values = {TOKEN_VARIABLE: TOKEN} if secrets is None else secrets
        context = make_context(secrets=values, public_url=public_url)
        harness = build(server, context, bot, server.url)
        harnesses.append(harness)
        return harness

    yield make
    for harness in harnesses:
        await harness.module.stop()


@pytest.fixture
def harness(make_harness: MakeHouse, server: BotApiServer) -> Harness:
    """The module, and an owner whose chat with the bot is open."""
    server.say(TOKEN, OWNER, "/start")
    return make_harness()
