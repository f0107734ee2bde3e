"""One bot's update queue with the semantics of `getUpdates`: confirm by offset, keep 24 h, one poller at a time."""

import asyncio
from collections import OrderedDict, deque
from dataclasses import dataclass
from itertools import islice

from .changes import Changes
from .errors import conflict
from .records import Clock, Json

KEPT_SECONDS = 24 * 3600
NOT_BY_DEFAULT = frozenset({"chat_member", "message_reaction", "message_reaction_count"})
HISTORY = 10_000


@dataclass(frozen=True, slots=True)
class QueuedUpdate:
    """An update as issued: the parsed form for whoever looks, the bytes for the wire."""

    update_id: int
    at: float
    update: Json
    wire: bytes


class UpdateFeed:
    """Queue of unconfirmed updates plus a bounded history for replays."""

    def __init__(self, now: Clock, changes: Changes) -> None:
        self.allowed: list[str] = []
        self.history: deque[QueuedUpdate] = deque(maxlen=HISTORY)
        self._now = now
        self._changes = changes
        self._queue: OrderedDict[int, QueuedUpdate] = OrderedDict()
        self._replays: list[QueuedUpdate] = []
        self._waiter: asyncio.Future[None] | None = None

    @property
    def waiting(self) -> bool:
        """True while a long poll hangs."""
        return self._waiter is not None

    def wants(self, kind: str) -> bool:
        return kind in self.allowed if self.allowed else kind not in NOT_BY_DEFAULT

    def push(self, queued: QueuedUpdate) -> None:
        """Add an update and wake the long poll at once."""
        self._queue[queued.update_id] = queued
        self.history.append(queued)
        self._wake()

    def replay(self, update_id: int) -> bool:
        """Hand an update out once more, whatever the offset; False if this feed never issued it."""
        for queued in self.history:
            if queued.update_id == update_id:
                self._replays.append(queued)
                self._wake()
                return True
        return False

    def pending(self) -> int:
        """How many updates wait; those older than 24 h are gone."""
        oldest = self._now() - KEPT_SECONDS
        while self._queue and next(iter(self._queue.values())).at < oldest:
            self._queue.popitem(last=False)
        return len(self._queue)

    def clear(self) -> None:
        self._queue.clear()

    def to_send(self) -> list[QueuedUpdate]:
        """What a webhook has to be sent, oldest first; nothing leaves the queue by it."""
        self.pending()
        return [*self._replays, *self._queue.values()]

    def sent(self, queued: QueuedUpdate) -> None:
        """A webhook has taken an update."""
        if queued in self._replays:
            self._replays.remove(queued)
        else:
            self._queue.pop(queued.update_id, None)
        self._changes.touch()

    async def poll(self, offset: int, limit: int, seconds: int) -> list[QueuedUpdate]:
        """Confirm below the offset and answer up to `limit` updates, waiting `seconds` for the first."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_exception(
                conflict("terminated by other getUpdates request; make sure that only one bot instance is running")
            )
        self._confirm(offset)
        self._changes.touch()
        ready = self._ready(limit)
        if ready or seconds <= 0:
            return ready
        await self._wait(seconds)
        return self._ready(limit)

    def _wake(self) -> None:
        self._changes.touch()
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _confirm(self, offset: int) -> None:
        waiting = self.pending()
        if offset < 0:
            for _ in range(max(0, waiting + offset)):
                self._queue.popitem(last=False)
        while self._queue and next(iter(self._queue)) < offset:
            self._queue.popitem(last=False)

    def _ready(self, limit: int) -> list[QueuedUpdate]:
        replays, self._replays = self._replays, []
        return [*replays, *islice(self._queue.values(), limit)]

    async def _wait(self, seconds: int) -> None:
        waiter = asyncio.get_running_loop().create_future()
        self._waiter = waiter
        self._changes.touch()
        try:
            async with asyncio.timeout(seconds):
                await waiter
        except TimeoutError:
            pass
        finally:
            if self._waiter is waiter:
                self._waiter = None
