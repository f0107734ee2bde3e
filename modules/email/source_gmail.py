"""The person's Gmail as it comes in: a look every so often, for what the history tells, into the mirror.

It is no feed that somebody else pushes: every step is a call through the one door, so nothing is lost with a
connection. How order, doubles and gaps are kept stands in `docs/decisions/0013-gmail-by-history.md`.
"""

import asyncio
import random
from datetime import datetime, timedelta

import structlog

from butler.contract.errors import AuthRequiredError, IntegrationErrorCode, Reconfigure, Retryable
from butler.contract.integration import IntegrationError
from butler.contract.module import Health, ModuleContext
from modules.email.config import GmailSettings
from modules.email.gmail_sync import GmailSync, SyncError
from modules.email.integration_gmail import GmailIntegration
from modules.email.reader import MailReader

log = structlog.get_logger(__name__)

_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 300.0
_LONGEST_STEP_S = 300.0
_STOPS = {IntegrationErrorCode.AUTH_REQUIRED: AuthRequiredError, IntegrationErrorCode.FORBIDDEN: Reconfigure}
_CHANCE = random.SystemRandom()


class GmailSource:
    """Feeds the mirror from one account. Meets `Source`."""

    def __init__(
        self,
        name: str,
        account: str,
        settings: GmailSettings,
        integration: GmailIntegration,
        reader: MailReader,
        context: ModuleContext,
    ) -> None:
        self.name = name
        self._clock = context.clock
        self._poll_interval_s = settings.poll_interval
        self._sync = GmailSync(account, settings, integration, reader, context)
        self._last_ok: datetime | None = None
        self._trouble = ""
        self._stopped = False

    async def run(self) -> None:
        """Look until cancelled; raises `Reconfigure` when only the owner can help."""
        self._stopped = False
        pause = _FIRST_PAUSE_S
        while True:
            error = await self._step()
            if error is None:
                pause = _FIRST_PAUSE_S
                continue
            self._trouble = error.message
            if (stop := _STOPS.get(error.code)) is not None:
                self._stopped = True
                raise stop(error.message)
            wait = max(pause * _CHANCE.uniform(0.5, 1.0), error.retry_after_s or 0.0)
            log.warning("gmail_unreachable", source=self.name, code=error.code, pause_s=round(wait, 1))
            await self._clock.sleep_until(self._clock.now() + timedelta(seconds=wait))
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    def health(self) -> Health:
        """The last step that worked; while mails are brought in, how far that is."""
        return Health(
            self._last_ok,
            3 * self._poll_interval_s + _LONGEST_STEP_S,
            self._trouble or self._sync.progress,
            stopped=self._stopped,
            failing=bool(self._trouble),
        )

    def signed_in(self) -> None:
        """The credentials were changed."""
        self._sync.signed_in()

    async def _step(self) -> IntegrationError | None:
        """One step, and the wait for the next look where all is done; or why it did not work."""
        try:
            idle = await self._sync.step()
        except SyncError as failure:
            return failure.error
        except Retryable as error:
            return IntegrationError(code=IntegrationErrorCode.UNAVAILABLE, message=str(error))
        self._last_ok, self._trouble = self._clock.now(), ""
        if idle:
            await self._clock.sleep_until(self._sync.next_look)
        else:
            await asyncio.sleep(0)
        return None
