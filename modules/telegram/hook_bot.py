"""Receives updates that Telegram sends to the webhook: checks the secret, then uses the same intake as the poll."""

import json
from collections.abc import Callable
from typing import Any, cast

from butler.contract.errors import Refuse
from butler.contract.hooks import AdmittedRequest, HookRefusedError, HookRequest, StoredHook
from modules.telegram.bot_intake import BotIntake
from modules.telegram.bot_webhook import NAME
from modules.telegram.hook_secret import HookSecret

SECRET_HEADER = "x-telegram-bot-api-secret-token"  # noqa: S105 - a header's name


class BotHook:
    """Implements `HookReceiver`. Telegram takes an update as delivered once it is answered with 200."""

    name = NAME
    methods = frozenset({"POST"})
    largest = 1024 * 1024
    per_minute = 6000

    def __init__(self, intake: BotIntake, secret: HookSecret, came: Callable[[], None]) -> None:
        """`came` is called for every update that was delivered."""
        self._intake, self._secret, self._came = intake, secret, came

    async def admit(self, request: HookRequest) -> AdmittedRequest:
        if not self._secret.is_shown(request.headers.get(SECRET_HEADER, "")):
            raise HookRefusedError(403, "Telegram's secret is missing or wrong")
        update = _update(request.body)
        if update is None:
            raise HookRefusedError(400, "this is no update")
        if "callback_query" in update:
            # The user who tapped waits for the answer, and must not wait for the files of earlier updates.
            await self._store(update)
        self._came()
        return AdmittedRequest(key=str(update["update_id"]))

    async def act(self, hook: StoredHook) -> None:
        update = _update(hook.body)
        if update is None:
            raise Refuse("this is no update")
        await self._store(update)

    async def _store(self, update: dict[str, Any]) -> None:
        await self._intake.begin()
        await self._intake.take([update])


def _update(body: bytes) -> dict[str, Any] | None:
    try:
        held: Any = json.loads(body)
    except (ValueError, RecursionError):
        return None
    if not isinstance(held, dict):
        return None
    update = cast("dict[str, Any]", held)
    number = update.get("update_id")
    return update if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None
