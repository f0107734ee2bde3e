"""One account's feed on an MTProto data centre over loopback, with the real queries on a database in memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from butler.contract.backoff import Backoff
from butler.contract.mirror import MirrorUpdate, SeenChat, SeenMessage, SeenQuery
from butler_demo.mtproto.datacentre import DataCentre
from modules.telegram.config import UserSettings
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.feed_position import AccountPosition, ChatPosition
from modules.telegram.integration_client_connection import ClientConnection
from modules.telegram.source_user import Pace, UserFeed
from modules.telegram.user_scope import Scope
from tests.support.context import MemoryCursors, MemoryMirror, make_context

SAM, ANNA, EVE, CARL = 42, 5, 666, 7
STATE = "telegram.user.state"
QUICK = Pace(look_every=30.0, gather=0.02, apart=0.02, list_every=600.0)


class Killed(Exception):
    """The process died here."""


class FrailCursors(MemoryCursors):
    """Dies at the n-th write of its `counter`, before or after it was done."""

    def __init__(self, counter: "Counter") -> None:
        super().__init__()
        self._counter = counter

    async def set(self, name: str, value: str) -> None:
        self._counter.before()
        await super().set(name, value)
        self._counter.after()


class FrailMirror(MemoryMirror):
    """The same for the mirror."""

    def __init__(self, cursors: MemoryCursors, counter: "Counter") -> None:
        super().__init__(cursors)
        self._counter = counter

    async def keep(self, batch: MirrorUpdate, *, cursor: tuple[str, str] | None = None) -> int:
        self._counter.before()
        new = await super().keep(batch, cursor=cursor)
        self._counter.after()
        return new

    async def forget(self, channel: str, account: str, chat: str) -> int:
        self._counter.before()
        gone = await super().forget(channel, account, chat)
        self._counter.after()
        return gone


@dataclass
class Counter:
    """Counts writes; at the `fatal` one the process dies."""

    fatal: int | None = None
    writes: int = 0

    def before(self) -> None:
        if self.fatal is not None and self.writes + 1 == self.fatal:
            raise Killed

    def after(self) -> None:
        self.writes += 1


@dataclass
class FeedHarness:
    """The rows of one account, and feeds on them: a new one knows nothing but the rows."""

    centre: DataCentre
    key_file: Path
    session: str
    settings: dict[str, Any] = field(default_factory=dict[str, Any])
    counter: Counter = field(default_factory=Counter)
    pace: Pace = QUICK

    def __post_init__(self) -> None:
        self.cursors = FrailCursors(self.counter)
        self.mirror = FrailMirror(self.cursors, self.counter)
        secrets = {"USER_TELEGRAM_SESSION": self.session, "USER_TELEGRAM_API_HASH": "a" * 32}
        self.context = make_context(secrets=secrets, cursors=self.cursors, mirror=self.mirror)

    def feed(self, **settings: Any) -> UserFeed:
        dc = f"{self.centre.dc_id} {self.centre.host}:{self.centre.port} {self.key_file}"
        self.settings = self.settings | settings
        read = UserSettings.model_validate({"api_id": 1, "dc": dc, **self.settings})
        connection = ClientConnection("main", read, self.context.vault, self.context.clock)
        feed_filter = FeedFilter(Scope.of(read))
        backoff = Backoff(first_s=0.01, longest_s=0.05)
        return UserFeed(connection, feed_filter, self.context, history=read.history, pace=self.pace, backoff=backoff)

    def copy(self) -> "FeedHarness":
        """Another butler with the same rows."""
        other = FeedHarness(self.centre, self.key_file, self.session, self.settings, pace=self.pace)
        other.cursors.values = dict(self.cursors.values)
        with self.mirror._engine.connect() as here, other.mirror._engine.connect() as there:
            here.connection.driver_connection.backup(there.connection.driver_connection)
        return other

    async def catch_up(self, **settings: Any) -> UserFeed:
        """What a start does until nothing is left to be read, and its end."""
        feed = self.feed(**settings)
        try:
            await self.go_on(feed, whole=True)
        finally:
            await feed._connection.close()
        return feed

    async def go_on(self, feed: UserFeed, *, whole: bool = False) -> None:
        reader = feed._reader
        if whole:
            await reader.start()
        await reader.look(listed=whole, whole=whole, muted=True)
        while reader.backfill:
            await reader.backfill.page()

    @asynccontextmanager
    async def running(self, **settings: Any) -> AsyncIterator[UserFeed]:
        """The feed runs until the block ends; a failure of it fails the test."""
        feed = self.feed(**settings)
        task = asyncio.create_task(feed.run())
        try:
            yield feed
        finally:
            running = not task.done()
            task.cancel()
            outcome = (await asyncio.gather(task, return_exceptions=True))[0]
            await feed._connection.close()
        if not running or not isinstance(outcome, asyncio.CancelledError):
            raise AssertionError("the feed ended by itself") from outcome

    async def chat(self, chat: int) -> SeenChat | None:
        return await self.mirror.chat("telegram", "main", f"telegram:{chat}")

    async def standing(self, chat: int) -> ChatPosition:
        seen = await self.chat(chat)
        assert seen is not None
        return ChatPosition.parse(seen.cursor)

    def stands(self) -> AccountPosition:
        standing = AccountPosition.parse(self.cursors.values.get(STATE))
        assert standing is not None
        return standing

    async def messages(self, chat: int) -> list[SeenMessage]:
        """All that is kept of a chat, oldest first."""
        query = SeenQuery("telegram", "main", f"telegram:{chat}", muted=True, after_order=-1, limit=100_000)
        return list(await self.mirror.messages(query))

    async def texts(self, chat: int) -> list[str]:
        return [message.text for message in await self.messages(chat)]

    async def rows(self) -> dict[str, Any]:
        """Everything that is kept: what two runs must agree on."""
        chats = await self.mirror.chats("telegram", "main")
        return {
            chat.chat: (chat, await self.messages(int(chat.chat.partition(":")[2])))
            for chat in sorted(chats, key=lambda chat: chat.chat)
        }

    def kept_twice(self) -> list[str]:
        """Messages that were stored more than once, as the rows' own key would not show."""
        seen: set[tuple[str, str]] = set()
        twice: list[str] = []
        for batch in self.mirror.batches:
            for message in batch.messages:
                key = (message.chat, message.ref)
                if key in seen:
                    twice.append(message.text)
                seen.add(key)
        return twice
