"""The bot's webhook as a source: sets it, watches it, and falls back to polling if no updates get through.

The updates themselves arrive in `hook_bot`. Nothing here shows that they fail to arrive, so Telegram is asked every few
minutes which address it has and what it could not deliver.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import timedelta

import structlog

from butler.contract.backoff import Backoff
from butler.contract.errors import Reconfigure, Refuse, Retryable
from butler.contract.last_time import LastTime
from butler.contract.module import Health, ModuleContext
from butler.contract.speech import say
from modules.telegram.bot_api_records import WebhookState
from modules.telegram.bot_gap import Gap
from modules.telegram.bot_intake import BotIntake
from modules.telegram.bot_webhook import BotWebhook
from modules.telegram.integration_telegram_bot_api import TelegramBotApi
from modules.telegram.source_bot import BotSource

log = structlog.get_logger(__name__)

LOOK_EVERY = timedelta(minutes=2)
LOOK_AGAIN = timedelta(seconds=30)
"""Interval while something is wrong."""
DEAF_AFTER = timedelta(minutes=10)
STALE_AFTER_S = 600.0


class BotHookSource:
    """The bot's webhook. Implements `Source`."""

    name = BotSource.name

    def __init__(
        self,
        api: TelegramBotApi,
        context: ModuleContext,
        intake: BotIntake,
        gap: Gap,
        webhook: BotWebhook,
        tell_owner: Callable[[str], Awaitable[None]],
        fallback: BotSource | None,
    ) -> None:
        """`fallback` is the poll that takes over; None: none does."""
        self._api, self._clock = api, context.clock
        self._intake, self._gap, self._webhook = intake, gap, webhook
        self._tell_owner, self._fallback = tell_owner, fallback
        self._backoff = Backoff()
        self._set = False
        self._resumed = True
        self._fallen_back = False
        self._last_ok, self._came = LastTime(context.clock), LastTime(context.clock)
        self._deaf_since: float | None = None
        """Monotonic clock, in seconds."""
        self._trouble = ""
        self._stopped = False

    def note_update(self) -> None:
        """Note that an update was delivered."""
        self._came.note()
        self._last_ok.note()
        if self._deaf_since is not None:
            self._deaf_since, self._trouble = None, ""

    def health(self) -> Health:
        """Return the health: alive while updates get through, or nothing waits."""
        if self._fallen_back and self._fallback is not None:
            polling = self._fallback.health()
            instead = say("polled, since Telegram did not get through to {url}", url=self._webhook.url)
            return replace(polling, detail=polling.detail or instead)
        detail = self._trouble or self._intake.turned_away
        return Health(self._last_ok.at, STALE_AFTER_S, detail, self._stopped, failing=bool(self._trouble))

    async def run(self) -> None:
        """Watch the webhook until cancelled; raise `Reconfigure` if only the owner can help."""
        self._stopped = False
        try:
            await self._keep()
        except Reconfigure:
            self._stopped = True
            raise

    async def _keep(self) -> None:
        await self._intake.begin()
        await self._gap.load(self._api.bot_id())
        self._set = False
        while not self._fallen_back:
            try:
                await self._look()
            except Retryable as error:
                # Telegram itself cannot be reached: a poll would fail too.
                self._trouble, self._resumed = str(error), True
                log.info("webhook_not_looked_at", why=str(error))
                await asyncio.sleep(self._backoff.next_s())
                continue
            self._backoff.reset()
            if self._is_deaf():
                break
            await self._clock.sleep((LOOK_AGAIN if self._trouble else LOOK_EVERY).total_seconds())
        await self._poll_instead()

    async def _look(self) -> None:
        if not self._set:
            await self._webhook.set()
            self._set = True
        state, now = await self._webhook.state(), self._clock.now()
        if state.url != self._webhook.url:
            log.warning("webhook_was_changed")
            await self._webhook.set()
        if reason := self._undelivered(state):
            if self._deaf_since is None:
                self._deaf_since = self._clock.monotonic()
            self._trouble = say("Telegram does not get through to {url}: {why}", url=self._webhook.url, why=reason)
            return
        self._deaf_since, self._trouble = None, ""
        self._last_ok.note()
        # A clock that was set while nothing failed is no downtime.
        if self._resumed:
            self._resumed = not await self._gap.bridged(now)
        if not self._resumed:
            await self._gap.note(now)

    def _undelivered(self, state: WebhookState) -> str:
        """Return why updates wait; empty if none waits for long. Failures before the last delivery do not count."""
        if not state.pending or state.failed_at is None:
            return ""
        # Telegram's times are whole seconds.
        if (came := self._came.at) is not None and state.failed_at < came.replace(microsecond=0):
            return ""
        return state.failed_with or say("it gives no reason")

    def _is_deaf(self) -> bool:
        since = self._deaf_since
        return (
            self._fallback is not None
            and since is not None
            and self._clock.monotonic() - since >= DEAF_AFTER.total_seconds()
        )

    async def _poll_instead(self) -> None:
        """Delete the webhook, tell the owner, and poll until the daemon is restarted."""
        assert self._fallback is not None, "only a source with a poll gives the webhook up"
        text = say(
            "{trouble}. So I fetch your messages from Telegram myself, until I am started again.", trouble=self._trouble
        )
        first, self._fallen_back = not self._fallen_back, True
        log.warning("webhook_given_up", why=self._trouble)
        telling = asyncio.create_task(self._tell(text) if first else asyncio.sleep(0), name="webhook_given_up")
        try:
            await self._fallback.run()
        finally:
            telling.cancel()

    async def _tell(self, sentence: str) -> None:
        backoff = Backoff()
        while True:
            try:
                await self._tell_owner(sentence)
            except Retryable:
                await asyncio.sleep(backoff.next_s())
            except Refuse as error:
                log.warning("webhook_given_up_untold", reason=str(error))
                return
            else:
                return
