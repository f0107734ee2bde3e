"""The one pattern by which a provider is looked at again and again (seed 5, mode 3).

A `Poll` knows one thing: how to take the next step from a cursor, whose records are upserted by the provider's own ids
in the transaction that moves the cursor. Everything around that is here and the same for all: when to look, what a
failure costs, when a provider asks for a pause, when a webhook says that it is worth looking now, and how it is told
that nothing has come for too long.
"""

import asyncio
import random
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

import structlog

from butler.contract.errors import AuthRequiredError, IntegrationErrorCode, Reconfigure, Retryable
from butler.contract.integration import IntegrationError
from butler.contract.module import Health
from butler.contract.ports import Clock

log = structlog.get_logger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 300.0
LONGEST_STEP_S = 300.0
_STOPS = {IntegrationErrorCode.AUTH_REQUIRED: AuthRequiredError, IntegrationErrorCode.FORBIDDEN: Reconfigure}
_CHANCE = random.SystemRandom()


class PollError(Exception):
    """A step that did not work; nothing of it is stored, so that it is taken again."""

    def __init__(self, error: IntegrationError) -> None:
        super().__init__(error.message)
        self.error = error


@dataclass(frozen=True, slots=True)
class Stepped:
    """A step that is done and durable."""

    more: bool = False
    """Whether the next step follows at once."""
    changed: int = 0
    """How many records are other than they were."""


class Poll(Protocol):
    """One account of one provider."""

    async def step(self) -> Stepped:
        """Take the next step from the stored cursor, and store what it found and the new cursor together.

        Raises `PollError`, `Retryable` where it cannot be stored now, `Reconfigure` when only the owner can help.
        """
        ...

    @property
    def progress(self) -> str:
        """While all is brought in for the first time, how far that is; else empty."""
        ...


class PollingSource:
    """Takes a poll's steps until cancelled. Meets `Source`."""

    def __init__(self, name: str, poll: Poll, clock: Clock, *, every_s: float) -> None:
        self.name = name
        self._poll, self._clock, self._every_s = poll, clock, every_s
        self._asked = asyncio.Event()
        self._last_ok: datetime | None = None
        self._trouble = ""
        self._stopped = False

    def look_now(self) -> None:
        """Something has changed there, as a webhook tells: do not wait for the next look."""
        self._asked.set()

    def health(self) -> Health:
        """The last step that worked; while records are brought in, how far that is."""
        return Health(
            self._last_ok,
            3 * self._every_s + LONGEST_STEP_S,
            self._trouble or self._poll.progress,
            stopped=self._stopped,
            failing=bool(self._trouble),
        )

    async def run(self) -> None:
        """Look until cancelled; raises `Reconfigure` when only the owner can help."""
        self._stopped, pause = False, FIRST_PAUSE_S
        while True:
            self._asked.clear()
            error, more = await self._step()
            if error is None:
                pause = FIRST_PAUSE_S
                await (asyncio.sleep(0) if more else self._until_asked(self._every_s))
                continue
            self._trouble = error.message
            if (stop := _STOPS.get(error.code)) is not None:
                self._stopped = True
                raise stop(error.message)
            wait = max(pause * _CHANCE.uniform(0.5, 1.0), error.retry_after_s or 0.0)
            log.warning("poll_failed", source=self.name, code=error.code, pause_s=round(wait, 1))
            # What is pushed meanwhile is found by the next look; the provider wants to be left alone till then.
            await self._clock.sleep_until(self._clock.now() + timedelta(seconds=wait))
            pause = min(pause * 2, LONGEST_PAUSE_S)

    async def _step(self) -> tuple[IntegrationError | None, bool]:
        try:
            stepped = await self._poll.step()
        except PollError as failure:
            return failure.error, False
        except Retryable as error:
            return IntegrationError(code=IntegrationErrorCode.UNAVAILABLE, message=str(error)), False
        self._last_ok, self._trouble = self._clock.now(), ""
        return None, stepped.more

    async def _until_asked(self, seconds: float) -> None:
        """Wait for the next look, or for somebody who says that it is worth one."""
        waits = (
            asyncio.ensure_future(self._clock.sleep_until(self._clock.now() + timedelta(seconds=seconds))),
            asyncio.ensure_future(self._asked.wait()),
        )
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
