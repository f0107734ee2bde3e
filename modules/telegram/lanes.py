"""One lane a chat: its messages go out in order, its edits not too often, and nothing while Telegram says wait."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from butler.contract.errors import Retryable
from butler.contract.speech import say

EDIT_EVERY_S = 1.0
EDITS_AT_ONCE = 3
"""So many go out one right after another before the rest wait for their second. Telegram bears short bursts, and a page
that the owner turns while what they approved is being sent does not wait behind the drawing of that.
"""
LONGEST_WAIT_S = 5.0
"""A longer wait is the caller's: the message stays queued where it is stored."""
MOST_LANES = 1000


@dataclass(slots=True)
class Lane:
    """What is known of one chat."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    closed_until: float = 0.0
    edits_until: float = 0.0
    """When the edits so far would be through, each given its time."""
    newest_edit: dict[int, int] = field(default_factory=dict[int, int])
    """The number of the newest edit that waits, by message."""

    async def opened(self) -> None:
        """Wait until Telegram takes the next message; raises `Retryable` when that is long."""
        wait = self.closed_until - time.monotonic()
        if wait > LONGEST_WAIT_S:
            raise Retryable(
                say("Telegram asks to wait {seconds:.0f} s more before the next message to this chat", seconds=wait)
            )
        if wait > 0:
            await asyncio.sleep(wait)


class Lanes:
    """The lanes of all chats; times on the monotonic clock."""

    def __init__(self, edit_every_s: float = EDIT_EVERY_S) -> None:
        self._edit_every_s = edit_every_s
        self._lanes: dict[int | str, Lane] = {}
        self._edits = 0

    @asynccontextmanager
    async def sending(self, chat_id: int | str) -> AsyncGenerator[None, None]:
        """The chat's turn; raises `Retryable` when Telegram wants a long wait first."""
        lane = self._lane(chat_id)
        async with lane.turn:
            await lane.opened()
            yield

    @asynccontextmanager
    async def editing(self, chat_id: int | str, message_id: int) -> AsyncGenerator[bool, None]:
        """The chat's turn for an edit; False when a newer edit of the same message has come meanwhile."""
        lane = self._lane(chat_id)
        self._edits += 1
        number = lane.newest_edit[message_id] = self._edits
        try:
            async with lane.turn:
                ahead = (EDITS_AT_ONCE - 1) * self._edit_every_s
                await asyncio.sleep(max(0.0, lane.edits_until - ahead - time.monotonic()))
                if lane.newest_edit.get(message_id) != number:
                    yield False
                    return
                await lane.opened()
                yield True
                lane.edits_until = max(lane.edits_until, time.monotonic()) + self._edit_every_s
        finally:
            if lane.newest_edit.get(message_id) == number:
                del lane.newest_edit[message_id]

    async def reopened(self, chat_id: int | str) -> None:
        """For whoever has the turn and was told to wait; raises `Retryable` when that is long."""
        await self._lane(chat_id).opened()

    def is_closed(self, chat_id: int | str) -> bool:
        """Whether Telegram wants to hear nothing for this chat now."""
        return self._lane(chat_id).closed_until > time.monotonic()

    def close(self, chat_id: int | str, seconds: float) -> None:
        """Telegram asks to wait: nothing goes to this chat before that."""
        lane = self._lane(chat_id)
        lane.closed_until = max(lane.closed_until, time.monotonic() + seconds)

    def _lane(self, chat_id: int | str) -> Lane:
        lane = self._lanes.get(chat_id)
        if lane is None:
            if len(self._lanes) >= MOST_LANES:
                self._forget_idle()
            lane = self._lanes[chat_id] = Lane()
        return lane

    def _forget_idle(self) -> None:
        now = time.monotonic()
        for chat_id, lane in list(self._lanes.items()):
            if not lane.turn.locked() and not lane.newest_edit and max(lane.closed_until, lane.edits_until) < now:
                del self._lanes[chat_id]
