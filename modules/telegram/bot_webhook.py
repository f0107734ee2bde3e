"""Sets and deletes the webhook to which Telegram sends the bot's updates."""

from typing import Any

from butler.contract.errors import IntegrationErrorCode, LoginRefusedError, Reconfigure, Retryable
from butler.contract.integration import READS
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
"""Refusals that a retry does not change."""


class BotWebhook:
    """Sets, inspects and deletes the bot's webhook. Telegram keeps the bot's pending updates throughout."""

    def __init__(self, api: TelegramBotApi, settings: BotSettings, context: ModuleContext, secret: HookSecret) -> None:
        self._api, self._settings, self._context, self._secret = api, settings, context, secret
        self.url = f"{context.public_url}/hooks/{NAME}"

    @property
    def offset_name(self) -> str:
        """Return the name of the poll's cursor, which is reset when a webhook is set."""
        return f"telegram.bot.{self._api.bot_id()}.offset"

    async def set(self) -> None:
        """Set the webhook; idempotent. Raise `Retryable` or `Reconfigure`."""
        self._secret.value()  # report a faulty secret before Telegram is asked
        cursors = self._context.storage.cursors
        # Noted first: a webhook that is set but not noted would block later polls. The poll's offset is of no use then,
        # since Telegram numbers anew after a quiet week; duplicates are recognised by their ids.
        await cursors.set(self._noted_name, self.url)
        await cursors.set(self.offset_name, "")
        args = {"url": self.url, "max_connections": self._settings.webhook_connections}
        await self._call(BOT_SET_WEBHOOK, args)

    async def state(self) -> WebhookState:
        """Return the webhook's state at Telegram. Raise `Retryable` or `Reconfigure`."""
        return WebhookState.model_validate(await self._call(BOT_WEBHOOK, {}))

    async def withdraw(self) -> None:
        """Delete the webhook if this butler set it. Raise `Retryable` or `Reconfigure`."""
        noted = await self._context.storage.cursors.get(self._noted_name)
        if not noted:
            return
        if (await self.state()).url == noted:
            await self._call(BOT_DELETE_WEBHOOK, {})
        await self._context.storage.cursors.set(self._noted_name, "")

    @property
    def _noted_name(self) -> str:
        return f"telegram.bot.{self._api.bot_id()}.webhook"

    async def _call(self, method_id: str, args: dict[str, Any]) -> dict[str, Any]:
        result = await self._api.request("telegram.bot", method_id, args, timeout_ms=TIMEOUT_MS, retry_policy=READS)
        if result.error is None:
            return result.data or {}
        if result.error.code is IntegrationErrorCode.AUTH_REQUIRED:
            raise LoginRefusedError(result.error.message)
        if result.error.code in _OWNERS:
            why = result.error.message
            raise Reconfigure(say("Telegram does not take the webhook {url}: {why}", url=self.url, why=why))
        raise Retryable(result.error.message)
