"""The bot's long poll: stores every update in the inbox before it is confirmed to Telegram.

The library's own updater confirms first, and loses updates when the process dies. Why this poll bypasses `call()`:
docs/decisions/0003-bot-long-poll.md.
"""

import asyncio
from collections.abc import Sequence
from typing import Any

import structlog
from telegram.error import Conflict, InvalidToken, RetryAfter, TelegramError

from butler.contract.backoff import Backoff
from butler.contract.errors import LoginRefusedError, Reconfigure, Retryable
from butler.contract.last_time import LastTime
from butler.contract.module import Health, ModuleContext
from butler.contract.speech import say
from modules.telegram.bot_gap import Gap
from modules.telegram.bot_intake import BotIntake
from modules.telegram.bot_webhook import BotWebhook
from modules.telegram.integration_bot_errors import WRONG_TOKEN, is_webhook_set, retry_after_s
from modules.telegram.integration_telegram_bot_api import TelegramBotApi

log = structlog.get_logger(__name__)

POLL_S = 25
STALE_AFTER_S = 120.0
CONFLICTS_UNTIL_SAID = 3


class BotSource:
    """Polls the bot's updates into the inbox."""

    name = "telegram.bot"

    def __init__(
        self,
        api: TelegramBotApi,
        context: ModuleContext,
        intake: BotIntake,
        gap: Gap,
        webhook: BotWebhook,
        backoff: Backoff | None = None,
    ) -> None:
        self._api = api
        self._context = context
        self._intake, self._gap, self._webhook = intake, gap, webhook
        self._backoff = backoff or Backoff()
        self._last_ok = LastTime(context.clock)
        self._resumed = True
        self._conflicts = 0
        self._trouble = ""
        self._stopped = False

    def health(self) -> Health:
        """Return the health: alive while polls complete. The detail counts rejected updates."""
        detail = self._trouble or self._intake.turned_away
        return Health(self._last_ok.at, STALE_AFTER_S, detail, self._stopped, failing=bool(self._trouble))

    async def run(self) -> None:
        """Poll until cancelled; raise `Reconfigure` without a token, `LoginRefusedError` with a wrong one."""
        self._stopped = False
        try:
            await self._feed()
        except Reconfigure:
            self._stopped = True
            raise

    async def _feed(self) -> None:
        await self._intake.begin()
        await self._gap.load(self._api.bot_id())
        withdrawn, offset = False, None
        while True:
            try:
                if not withdrawn:
                    withdrawn, offset = await self._withdrawn()
                # The first poll does not wait, so that it shows immediately whether Telegram can be reached.
                updates = await self._api.poll_updates(offset, 0 if self._resumed else POLL_S)
                offset = await self._take(updates, offset)
            except InvalidToken:
                raise LoginRefusedError(say(WRONG_TOKEN, variable=self._api.token_variable)) from None
            except (TelegramError, Retryable) as error:
                await self._pause_after(error)
            else:
                await self._completed()

    async def _withdrawn(self) -> tuple[bool, int | None]:
        """Delete our webhook, which would block every poll; return the offset to begin with."""
        await self._webhook.withdraw()
        stored = await self._context.storage.cursors.get(self._webhook.offset_name)
        return True, int(stored) if stored else None

    async def _take(self, updates: Sequence[dict[str, Any]], offset: int | None) -> int | None:
        """Store a batch and the offset after it in one transaction; return the offset of the next poll."""
        if not updates:
            return offset
        after = max(update["update_id"] for update in updates) + 1
        await self._intake.take(updates, (self._webhook.offset_name, str(after)))
        return after

    async def _completed(self) -> None:
        """Record that a poll succeeded: only this counts as being connected."""
        now = self._context.clock.now()
        resumed, self._resumed = self._resumed, False
        # The first poll does not wait, so that it wins over another program's, which then wins over ours.
        if not (resumed and self._conflicts):
            self._backoff.reset()
            self._conflicts = 0
            self._trouble = ""
        self._last_ok.note()
        if resumed:
            self._resumed = not await self._gap.bridged(now)
        if not self._resumed:
            await self._gap.note(now)

    async def _pause_after(self, error: TelegramError | Retryable) -> None:
        wait = self._backoff.next_s()
        self._resumed = True
        match error:
            case Conflict():
                self._conflicts += 1
                if is_webhook_set(error):
                    self._trouble = say("a webhook is set for this bot, so that Telegram answers no polls")
                elif self._conflicts >= CONFLICTS_UNTIL_SAID:
                    self._trouble = say("another program polls with this bot's token")
            case RetryAfter():
                wait = max(wait, retry_after_s(error))
                self._trouble = say("Telegram asks to wait {seconds:.0f} s", seconds=wait)
            case Retryable():
                self._trouble = say("what came in cannot be stored: {why}", why=error)
            case _:
                self._trouble = say("Telegram cannot be reached")
        log.info("poll_failed", source=self.name, kind=type(error).__name__, again_in_s=round(wait, 1))
        await asyncio.sleep(wait)
