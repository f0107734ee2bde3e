"""A mailbox as it comes in: IDLE tells at once, a poll on its own looks all the same.

IDLE may die in silence, so nothing depends on it: it only shortens the wait for the next look. How the feed keeps
order, doubles and replay stands in `docs/decisions/0004-imap-idle.md`.
"""

import asyncio
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta
from typing import Any, Protocol

import structlog

from butler.contract.errors import IntegrationErrorCode, IntegrationFault, LoginRefusedError, Retryable
from butler.contract.integration import IntegrationError
from butler.contract.module import Health
from butler.contract.ports import Clock
from modules.email.integration_smtp_imap import SmtpImapIntegration

log = structlog.get_logger(__name__)

RE_IDLE_S = 180.0
LONGEST_SILENCE_S = 540.0
_FIRST_PAUSE_S = 1.0
_LONGEST_PAUSE_S = 60.0


class Looker(Protocol):
    """Looks into a mailbox and keeps what it finds."""

    @property
    def progress(self) -> str:
        """How far a long look is, in a sentence for the owner; else empty."""
        ...

    async def look(self, alive: Callable[[], None]) -> IntegrationError | None:
        """Look once; `alive` is called after each round trip. Why it did not work, if so. May raise `Retryable`."""
        ...


class MailboxSource:
    """Has one mailbox looked into, again and again. Meets `Source`."""

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
        self._poll_interval_s = poll_interval_s
        self._re_idle_s = re_idle_s
        self._news = asyncio.Event()
        self._last_ok: datetime | None = None
        self._trouble = ""
        self._stopped = False

    async def run(self) -> None:
        """Watch and poll until cancelled; raises `LoginRefusedError` when the server refuses the login."""
        self._stopped = False
        watching = asyncio.create_task(self._watch())
        try:
            await self._poll()
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)

    def health(self) -> Health:
        stale = min(3 * self._poll_interval_s + 60, LONGEST_SILENCE_S)
        return Health(
            self._last_ok,
            stale,
            self._trouble or self._looker.progress,
            stopped=self._stopped,
            failing=bool(self._trouble),
        )

    async def _poll(self) -> None:
        pause = _FIRST_PAUSE_S
        while True:
            self._news.clear()
            error = await self._look()
            if error is None:
                self._alive()
                pause = _FIRST_PAUSE_S
                await self._next_look()
                continue
            self._trouble = error.message
            if error.code is IntegrationErrorCode.AUTH_REQUIRED:
                self._stopped = True
                raise LoginRefusedError(error.message)
            log.warning("mailbox_unreachable", source=self.name, code=error.code, pause_s=pause)
            # A watcher that got through again is as good a reason to look as the end of the pause.
            await self._either(asyncio.sleep(pause))
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    async def _look(self) -> IntegrationError | None:
        try:
            return await self._looker.look(self._alive)
        except Retryable as error:
            return IntegrationError(code=IntegrationErrorCode.UNAVAILABLE, message=str(error))

    def _alive(self) -> None:
        self._last_ok = self._clock.now()
        self._trouble = ""

    async def _next_look(self) -> None:
        due = self._clock.now() + timedelta(seconds=self._poll_interval_s)
        await self._either(self._clock.sleep_until(due))

    async def _either(self, end: Coroutine[Any, Any, None]) -> None:
        """Wait for news or for `end`."""
        waits = [asyncio.ensure_future(end), asyncio.ensure_future(self._news.wait())]
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()

    async def _watch(self) -> None:
        """Keep a connection in IDLE and wake the poll on news; every fault costs the connection only."""
        pause = _FIRST_PAUSE_S
        while True:
            started = self._clock.now()
            try:
                if not await self._idle_on_one_connection():
                    log.info("mailbox_without_idle")
                    return
            except IntegrationFault as fault:
                if fault.code is IntegrationErrorCode.REJECTED:
                    return
                log.info("idle_lost", code=fault.code, pause_s=pause)
                if fault.code is IntegrationErrorCode.AUTH_REQUIRED:
                    # The poll's connection may live on; where it does not, it finds out now, and tells.
                    self._news.set()
                    pause = LoginRefusedError.AGAIN_AFTER.total_seconds()
            if self._clock.now() - started > timedelta(seconds=_LONGEST_PAUSE_S):
                pause = _FIRST_PAUSE_S
            await self._clock.sleep_until(self._clock.now() + timedelta(seconds=pause))
            pause = min(pause * 2, _LONGEST_PAUSE_S)

    async def _idle_on_one_connection(self) -> bool:
        """Idle until the connection fails; False at once where the server does not do IDLE."""
        connection = await self._integration.open_connection()
        try:
            if not connection.has_idle:
                return False
            await connection.select()
            # What came between the last look and now would otherwise wait for the next poll.
            self._news.set()
            while True:
                if await connection.idle(self._re_idle_s):
                    self._news.set()
        finally:
            connection.drop()
