"""The address that Telegram is told to send the bot's updates to."""

from typing import Any

from butler.contract.errors import IntegrationErrorCode, LoginRefusedError, Reconfigure, Retryable
from butler.contract.integration import READS, IntegrationCall
from butler.contract.module import ModuleContext
from butler.contract.speech import say
from modules.telegram.bot_api_records import WebhookState
from modules.telegram.config import BotSettings
from modules.telegram.hook_secret import HookSecret
from modules.telegram.integration_telegram_bot_api import TelegramBotApi
from modules.telegram.method_ids import BOT_DELETE_WEBHOOK, BOT_SET_WEBHOOK, BOT_WEBHOOK

NAME = "telegram"
"""The last part of the address, after `/hooks/`."""
TIMEOUT_MS = 15_000
_OWNERS = {IntegrationErrorCode.REJECTED, IntegrationErrorCode.INVALID_INPUT, IntegrationErrorCode.FORBIDDEN}
"""Refusals that no repetition changes."""


class BotWebhook:
    """Sets, looks at and takes back the bot's webhook. What Telegram holds for the bot stays there through it all."""

    def __init__(self, api: TelegramBotApi, settings: BotSettings, context: ModuleContext, secret: HookSecret) -> None:
        self._api, self._settings, self._context, self._secret = api, settings, context, secret
        self.url = f"{context.public_url}/hooks/{NAME}"

    @property
    def offset_name(self) -> str:
        """The cursor of the poll, which begins anew after a webhook."""
        return f"telegram.bot.{self._api.bot_id()}.offset"

    async def set(self) -> None:
        """Tell Telegram the address; harmless where it knows it. Raises `Retryable` or `Reconfigure`."""
        self._secret.value()  # what is wrong with it is not Telegram's to say
        cursors = self._context.cursors
        # Noted first: a webhook that is set and unknown would keep a later poll from being answered. The poll's offset
        # is of no use afterwards, since Telegram counts anew after a quiet week; what comes twice is known by its id.
        await cursors.set(self._noted_name, self.url)
        await cursors.set(self.offset_name, "")
        args = {"url": self.url, "max_connections": self._settings.webhook_connections}
        await self._call(BOT_SET_WEBHOOK, args)

    async def state(self) -> WebhookState:
        """What Telegram says of it. Raises `Retryable` or `Reconfigure`."""
        return WebhookState.model_validate(await self._call(BOT_WEBHOOK, {}))

    async def withdraw(self) -> None:
        """Take back a webhook that was set from here, and no other's. Raises `Retryable` or `Reconfigure`."""
        noted = await self._context.cursors.get(self._noted_name)
        if not noted:
            return
        if (await self.state()).url == noted:
            await self._call(BOT_DELETE_WEBHOOK, {})
        await self._context.cursors.set(self._noted_name, "")

    @property
    def _noted_name(self) -> str:
        return f"telegram.bot.{self._api.bot_id()}.webhook"

    async def _call(self, method_id: str, args: dict[str, Any]) -> dict[str, Any]:
        result = await self._api.call(
            IntegrationCall(
                trace_id="telegram.bot", method_id=method_id, args=args, timeout_ms=TIMEOUT_MS, retry_policy=READS
            )
        )
        if result.error is None:
            return result.data or {}
        if result.error.code is IntegrationErrorCode.AUTH_REQUIRED:
            raise LoginRefusedError(result.error.message)
        if result.error.code in _OWNERS:
            why = result.error.message
            raise Reconfigure(say("Telegram does not take the webhook {url}: {why}", url=self.url, why=why))
        raise Retryable(result.error.message)
