"""Keeps the mirror of the owner's account up to date: its chats and messages, which never go to the inbox.

Pushed updates only wake the feed up. A look fetches the difference since what is stored. How the feed handles order,
duplicates and replay: `docs/decisions/0011-telegram-updates-are-a-wake-up.md`.
"""

import asyncio
import time
from dataclasses import dataclass
from typing import Any

import structlog

from butler.contract.backoff import Backoff
from butler.contract.errors import AuthRequiredError, IntegrationErrorCode, Retryable
from butler.contract.integration import IntegrationError
from butler.contract.last_time import LastTime
from butler.contract.module import Health, ModuleContext
from butler.contract.speech import say
from modules.telegram.feed_calls import CallFailedError
from modules.telegram.feed_filter import FeedFilter
from modules.telegram.feed_reader import FeedReader
from modules.telegram.integration_client_connection import ClientConnection
from modules.telegram.integration_client_feed import TelegramFeedApi
from modules.telegram.integration_client_feed_news import hint_of

log = structlog.get_logger(__name__)

STALE_AFTER_S = 240.0


@dataclass(frozen=True, slots=True)
class Pace:
    """How often the feed looks, in seconds."""

    look_every: float = 60.0
    """Longest time between two looks."""
    gather: float = 0.4
    """From the first push to the look, so that pushes that arrive together cause one look."""
    apart: float = 2.0
    """Shortest time from one look to the next one that a push causes."""
    list_every: float = 600.0
    """Between two listings of the dialogs: mutes, counts, and channels whose push was lost."""


class UserFeed:
    """Feeds the mirror from one account. Implements `Source`."""

    def __init__(
        self,
        connection: ClientConnection,
        feed_filter: FeedFilter,
        context: ModuleContext,
        *,
        history: int,
        is_first: bool = True,
        pace: Pace | None = None,
        backoff: Backoff | None = None,
    ) -> None:
        """`history` is how many messages of a new chat to read back."""
        account = connection.account
        self.name = "telegram.user" if is_first else f"telegram.user:{account}"
        self.api = TelegramFeedApi(connection, feed_filter, context.probe)
        self._reader = FeedReader(
            self.api,
            context,
            feed_filter,
            account=account,
            name=self.name,
            history=history,
            completed=self._completed,
        )
        self._connection = connection
        self._clock = context.clock
        self._pace = pace or Pace()
        self._backoff = backoff or Backoff()
        self._woken = asyncio.Event()
        self._woken_at = 0.0
        self._started = self._reconnected = self._whole = False
        self._looked_at = self._next_look = self._next_list = self._next_fill = 0.0
        self._last_ok = LastTime(context.clock)
        self._trouble = ""
        self._stopped = False

    def health(self) -> Health:
        """Return the health: alive while Telegram answers differences; the detail tells the backfill's progress."""
        return Health(
            self._last_ok.at,
            STALE_AFTER_S,
            self._trouble or self._progress(),
            self._stopped,
            failing=bool(self._trouble),
        )

    def _progress(self) -> str:
        detail = self._reader.backfill.progress
        if self._reader.backfill and self._next_fill > time.monotonic():
            seconds = self._next_fill - time.monotonic()
            waits = say("Telegram asks to wait {seconds:.0f} s", seconds=seconds)
            detail = f"{detail}; {waits}"
        return "; ".join(filter(None, (detail, self._reader.waits.text)))

    async def run(self) -> None:
        """Look until cancelled; raise `AuthRequiredError` if the owner has to sign in again."""
        self._stopped, self._started, self._whole, self._trouble = False, False, True, ""
        self._next_look = 0.0
        await self._connection.listen(self._heard, self._lost)
        while True:
            try:
                await self._turn()
            except CallFailedError as failed:
                await self._pause_after(failed.error)
            except Retryable as error:
                self._trouble = say("what came in cannot be stored: {why}", why=error)
                await asyncio.sleep(self._backoff.next_s())

    async def _turn(self) -> None:
        """Look, read one page of older messages, or wait for a reason to."""
        now = time.monotonic()
        if now >= self._due_at():
            await self._look(now)
        elif self._reader.backfill and now >= self._next_fill:
            await self._fill(now)
        else:
            await self._rest(now)

    async def _look(self, now: float) -> None:
        self._woken.clear()
        by_itself, self._next_look = now >= self._next_look, 0.0
        reconnected, self._reconnected = self._reconnected, False
        listed = self._whole or reconnected or now >= self._next_list
        try:
            if not self._started:
                await self._reader.start()
                self._started = True
            done = await self._reader.look(listed=listed, whole=self._whole, muted=by_itself or listed)
        except (CallFailedError, Retryable):
            self._reconnected = reconnected
            raise
        now = time.monotonic()
        self._looked_at, self._next_look = now, now + self._pace.look_every
        if listed and done:
            self._whole, self._next_list = False, now + self._pace.list_every
        elif not done:
            self._next_list = now
        self._trouble = ""
        self._backoff.reset()

    async def _fill(self, now: float) -> None:
        try:
            await self._reader.backfill.page()
        except CallFailedError as failed:
            if failed.error.code is not IntegrationErrorCode.RATE_LIMITED:
                raise
            # Telegram limits by kind of request: new messages may still be fetched.
            self._next_fill = now + self._reported_wait(failed.error)

    async def _rest(self, now: float) -> None:
        until = self._due_at()
        if self._reader.backfill:
            until = min(until, self._next_fill)
        if self._woken.is_set():
            await asyncio.sleep(until - now)
            return
        try:
            async with asyncio.timeout(until - now):
                await self._woken.wait()
        except TimeoutError:
            return

    def _due_at(self) -> float:
        if not self._woken.is_set():
            return self._next_look
        return min(self._next_look, max(self._woken_at + self._pace.gather, self._looked_at + self._pace.apart))

    def _completed(self) -> None:
        self._last_ok.note()

    def _heard(self, pushed: Any) -> None:
        if hint := hint_of(pushed):
            self._reader.note(hint.channels, hint.read)
            self._wake()

    def _lost(self) -> None:
        self._reconnected = True
        self._wake()

    def _wake(self) -> None:
        if not self._woken.is_set():
            self._woken_at = time.monotonic()
            self._woken.set()

    def _reported_wait(self, error: IntegrationError) -> float:
        return max(error.retry_after_s or 0.0, self._backoff.next_s())

    async def _pause_after(self, error: IntegrationError) -> None:
        self._trouble = error.message
        match error.code:
            case IntegrationErrorCode.AUTH_REQUIRED:
                self._stopped = True
                raise AuthRequiredError(error.message)
            case IntegrationErrorCode.RATE_LIMITED:
                wait = self._reported_wait(error)
            case _:
                wait = self._backoff.next_s()
        log.info("feed_pauses", source=self.name, code=error.code, again_in_s=round(wait, 1))
        await asyncio.sleep(wait)
