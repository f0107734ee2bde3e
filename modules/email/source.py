"""Feeds a mailbox's mails: IDLE reports news immediately, and a poll runs independently of it.

IDLE may die silently, so nothing depends on it: it only shortens the wait for the next look. Order, duplicates and
replay: `docs/decisions/0004-imap-idle.md`.
"""

import asyncio
from collections.abc import Callable
from typing import Protocol

import structlog

from butler.contract.errors import IntegrationErrorCode, IntegrationFault, LoginRefusedError
from butler.contract.integration import IntegrationError
from butler.contract.module import Health
from butler.contract.polling import FIRST_PAUSE_S, PollError, PollingOptions, PollingSource, PollStep
from butler.contract.ports import Clock
from modules.email.integration_smtp_imap import SmtpImapIntegration

log = structlog.get_logger(__name__)

RE_IDLE_S = 180.0
LONGEST_SILENCE_S = 540.0
_LONGEST_PAUSE_S = 60.0
_STOPS = {IntegrationErrorCode.AUTH_REQUIRED: LoginRefusedError}


class Looker(Protocol):
    """Looks into a mailbox and keeps what it finds."""

    @property
    def progress(self) -> str:
        """The progress of a long look, in a sentence for the owner; else empty."""
        ...

    async def look(self, alive: Callable[[], None]) -> IntegrationError | None:
        """Look once; call `alive` after each round trip. Return the error, if any. May raise `Retryable`."""
        ...


class MailboxSource:
    """Runs the looks into one mailbox repeatedly. Implements `Source`, and `Poll` for the looks."""

    def __init__(
        self,
        name: str,
        integration: SmtpImapIntegration,
        looker: Looker,
        clock: Clock,
        poll_interval_s: float,
        *,
        re_idle_s: float = RE_IDLE_S,
    ) -> None:
        self.name = name
        self._integration = integration
        self._looker = looker
        self._clock = clock
        self._re_idle_s = re_idle_s
        # `hurries`: a watcher that reconnects ends the pause after a failure, since the server can be reached again.
        stale_after_s = min(3 * poll_interval_s + 60, LONGEST_SILENCE_S)
        manner = PollingOptions(_LONGEST_PAUSE_S, _STOPS, stale_after_s, hurries=True)
        self._polling = PollingSource(name, self, clock, every_s=poll_interval_s, manner=manner)

    async def run(self) -> None:
        """Watch and poll until cancelled; raise `LoginRefusedError` if the server refuses the login."""
        watching = asyncio.create_task(self._watch())
        try:
            await self._polling.run()
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    def health(self) -> Health:
        """The time of the last successful round trip."""
        return self._polling.health()

    def look_now(self) -> None:
        """Start the next look without waiting."""
        self._polling.look_now()

    @property
    def progress(self) -> str:
        return self._looker.progress

    async def step(self) -> PollStep:
        """Look once. Raise `PollError` and `Retryable`."""
        error = await self._looker.look(self._polling.alive)
        if error is not None:
            raise PollError(error)
        return PollStep()

    async def _watch(self) -> None:
        """Keep a connection in IDLE and wake the poll on news; a fault costs only the connection."""
        pause = FIRST_PAUSE_S
        while True:
            started = self._clock.monotonic()
            try:
                if not await self._idle_on_one_connection():
                    log.info("mailbox_without_idle")
                    return
            except IntegrationFault as fault:
                if fault.code is IntegrationErrorCode.REJECTED:
                    return
                log.info("idle_lost", code=fault.code, pause_s=pause)
                if fault.code is IntegrationErrorCode.AUTH_REQUIRED:
                    # The poll's connection may still work; if not, the poll finds out now, and reports it.
                    self.look_now()
                    pause = LoginRefusedError.AGAIN_AFTER.total_seconds()
            if self._clock.monotonic() - started > _LONGEST_PAUSE_S:
                pause = FIRST_PAUSE_S
            await self._clock.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    async def _idle_on_one_connection(self) -> bool:
        """Idle until the connection fails; return False immediately if the server does not support IDLE."""
        connection = await self._integration.open_connection()
        try:
            if not connection.has_idle:
                return False
            await connection.select()
            # Mails since the last look would otherwise wait for the next poll.
            self.look_now()
            while True:
                if await connection.idle(self._re_idle_s):
                    self.look_now()
        finally:
            connection.drop()
