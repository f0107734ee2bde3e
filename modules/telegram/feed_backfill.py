"""Reads older messages: the holes of chats, page by page; each page is stored together with the rest of its hole."""

from collections import deque

import structlog

from butler.contract.mirror import Mirror
from butler.contract.speech import say
from modules.telegram.feed_calls import CallFailedError, FeedCalls
from modules.telegram.feed_position import ChatPosition
from modules.telegram.feed_records import PAGE, AskHistory
from modules.telegram.feed_state import FeedState, place_of
from modules.telegram.normalise import CHANNEL

log = structlog.get_logger(__name__)

TELL_EVERY = 25
"""Chats between two log lines."""


class Backfill:
    """The chats of an account with messages still to read. Only their addresses are held; the rest is in the rows."""

    def __init__(self, calls: FeedCalls, mirror: Mirror, feed_state: FeedState, *, account: str, name: str) -> None:
        self._calls = calls
        self._mirror = mirror
        self._state = feed_state
        self._account, self._name = account, name
        self._open: deque[str] = deque()
        self._opened = 0

    def __bool__(self) -> bool:
        return bool(self._open)

    @property
    def progress(self) -> str:
        """Return a text about the progress; empty if there is nothing to read."""
        return (
            say("reading {read} of {all} chats", read=self._opened - len(self._open), all=self._opened)
            if self._open
            else ""
        )

    def clear(self) -> None:
        """Forget all chats."""
        self._open.clear()
        self._opened = 0

    def add(self, chat: str) -> None:
        """Add a chat with messages still to read, by its address."""
        if chat not in self._open:
            self._open.append(chat)
            self._opened += 1

    async def page(self) -> None:
        """Read one page of the next chat; raise `CallFailedError` and the store's errors."""
        seen = await self._mirror.chat(CHANNEL, self._account, self._open[0])
        holes = ChatPosition.parse(seen.cursor).holes if seen else ()
        if seen is None or not holes:
            self._done()
            return
        hole = holes[0]
        limit = PAGE if hole.left is None else min(PAGE, hole.left)
        ask = AskHistory(place=place_of(seen), after=hole.after, before=hole.before, limit=limit)
        try:
            batch = self._state.page(seen, await self._calls.history(ask))
        except CallFailedError as failed:
            if not failed.concerns_the_chat:
                raise
            log.warning("chat_not_readable", source=self._name, code=failed.error.code)
            batch = self._state.closed(seen)
        await self._mirror.keep(batch)
        if any(ChatPosition.parse(row.cursor).holes for row in batch.chats):
            self._open.rotate(-1)
        else:
            self._done()

    def _done(self) -> None:
        self._open.popleft()
        done = self._opened - len(self._open)
        if not self._open:
            log.info("chats_read", source=self._name, chats=self._opened)
            self._opened = 0
        elif done % TELL_EVERY == 0:
            log.info("reading_chats", source=self._name, done=done, of=self._opened)
