"""Watches the person's own session: a signed-out one is noticed within minutes, not with the next send."""

import asyncio
from datetime import datetime

from butler.contract.errors import AuthRequiredError, IntegrationErrorCode
from butler.contract.integration import BaseIntegration, IntegrationCall
from butler.contract.module import Health
from butler.contract.ports import Clock
from modules.telegram.method_ids import USER_ME

LOOK_EVERY_S = 60.0
STALE_AFTER_S = 240.0


class SessionWatch:
    """A source without items: it asks Telegram once a minute who the account is."""

    name = "telegram.user"

    def __init__(self, api: BaseIntegration, clock: Clock, look_every_s: float = LOOK_EVERY_S) -> None:
        self._api = api
        self._clock = clock
        self._look_every_s = look_every_s
        self._last_ok: datetime | None = None
        self._trouble = ""
        self._stopped = False

    def health(self) -> Health:
        """Alive while Telegram knows the session."""
        return Health(self._last_ok, STALE_AFTER_S, self._trouble, self._stopped)

    async def run(self) -> None:
        """Look until cancelled; raises `Reconfigure` when the owner has to sign in again."""
        call = IntegrationCall(trace_id=self.name, method_id=USER_ME, args={}, timeout_ms=30_000)
        while True:
            result = await self._api.call(call)
            if result.error is None:
                self._last_ok, self._trouble = self._clock.now(), ""
            else:
                self._trouble = result.error.message
                if result.error.code is IntegrationErrorCode.AUTH_REQUIRED:
                    self._stopped = True
                    raise AuthRequiredError(result.error.message)
            await asyncio.sleep(self._look_every_s)
