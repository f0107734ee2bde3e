"""One lane per chat: sends its messages in order, limits its edits, and pauses while Telegram demands a wait."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from butler.contract.errors import Retryable
from butler.contract.speech import say

EDIT_EVERY_S = 1.0
EDITS_AT_ONCE = 3
"""Edits that may go out in a row before the rest wait for their second. Telegram allows short bursts, and a page that
the owner turns must not wait for the redrawing of a card whose call is being executed.
"""
LONGEST_WAIT_S = 5.0
"""A longer wait is left to the caller: the message stays queued where it is stored."""
MOST_LANES = 1000


@dataclass(slots=True)
class Lane:
    """The state of one chat."""

    turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    closed_until: float = 0.0
    edits_until: float = 0.0
    """When all edits so far would be done, at one per interval."""
    newest_edit: dict[int, int] = field(default_factory=dict[int, int])
    """The number of the newest waiting edit, by message."""

    async def opened(self) -> None:
        """Wait until Telegram takes the next message; raise `Retryable` if the wait is long."""
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
        """Wait for the chat's turn; raise `Retryable` if Telegram demands a long wait."""
        lane = self._lane(chat_id)
        async with lane.turn:
            await lane.opened()
            yield

    @asynccontextmanager
    async def editing(self, chat_id: int | str, message_id: int) -> AsyncGenerator[bool, None]:
        """Wait for the chat's turn to edit; yield False if a newer edit of the same message is waiting."""
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
        """Wait as demanded, while holding the turn; raise `Retryable` if the wait is long."""
        await self._lane(chat_id).opened()

    def is_closed(self, chat_id: int | str) -> bool:
        """Return whether Telegram demands a wait for this chat now."""
        return self._lane(chat_id).closed_until > time.monotonic()

    def close(self, chat_id: int | str, seconds: float) -> None:
        """Send nothing to this chat for the time that Telegram demands."""
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
