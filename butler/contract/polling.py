"""The common pattern of polling a provider (seed 5, mode 3).

A `Poll` only takes the next step from a cursor; its records are upserted by the provider's own ids in the transaction
that moves the cursor. Everything else is here, the same for all providers: when to poll, back-off after a failure, a
pause that a provider asks for, a webhook's hint to poll now, and the report that nothing has come for too long.
"""

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import structlog

from butler.contract.backoff import Backoff
from butler.contract.base_integration import BaseIntegration
from butler.contract.errors import AuthRequiredError, IntegrationErrorCode, Reconfigure, Retryable
from butler.contract.integration import READS, IntegrationError, IntegrationResult
from butler.contract.last_time import LastTime
from butler.contract.module import Health
from butler.contract.ports import Clock

log = structlog.get_logger(__name__)

FIRST_PAUSE_S, LONGEST_PAUSE_S = 1.0, 300.0
LONGEST_STEP_S = 300.0
STOPS: Mapping[IntegrationErrorCode, type[Reconfigure]] = {
    IntegrationErrorCode.AUTH_REQUIRED: AuthRequiredError,
    IntegrationErrorCode.FORBIDDEN: Reconfigure,
}
"""Errors that only the owner can resolve."""


class PollError(Exception):
    """A step that failed; nothing of it is stored, so it is repeated."""

    def __init__(self, error: IntegrationError) -> None:
        super().__init__(error.message)
        self.error = error


async def asked(
    integration: BaseIntegration,
    method_id: str,
    args: dict[str, Any],
    *,
    trace_id: str,
    timeout_ms: int,
    cursor: str | None = None,
) -> IntegrationResult:
    """Make one read of a step, such as fetching a page of a listing; raises `PollError`."""
    result = await integration.request(
        trace_id, method_id, args, timeout_ms=timeout_ms, retry_policy=READS, cursor=cursor
    )
    if result.error is not None:
        raise PollError(result.error)
    return result


@dataclass(frozen=True, slots=True)
class PollStep:
    """A step that is completed and durable."""

    more: bool = False
    """Whether the next step follows immediately."""
    changed: int = 0
    """The number of changed records."""
    next_s: float | None = None
    """When the next poll is due, if not at the usual time."""


class Poll(Protocol):
    """One account of one provider."""

    async def step(self) -> PollStep:
        """Take the next step from the stored cursor, and store its findings and the new cursor together.

        Raises `PollError`, `Retryable` if it cannot be stored now, `Reconfigure` if only the owner can help.
        """
        ...

    @property
    def progress(self) -> str:
        """The progress of the first full import; empty afterwards."""
        ...


@dataclass(frozen=True, slots=True)
class PollingOptions:
    """The options that differ between providers."""

    longest_pause_s: float = LONGEST_PAUSE_S
    stops: Mapping[IntegrationErrorCode, type[Reconfigure]] = field(default_factory=lambda: STOPS)
    stale_after_s: float | None = None
    """The seconds without a successful poll after which to report; by default three polls and a long step."""
    hurries: bool = False
    """Whether a webhook's call for a poll also ends a pause, as it shows that the provider is reachable."""


USUAL = PollingOptions()


def source_name(place: str, account: str, *, first: bool) -> str:
    """Return an account's source name: `calendar.user` for the first account, `calendar.user:work` for another."""
    return place if first else f"{place}:{account}"


class PollingSource:
    """Takes a poll's steps until cancelled. Implements `Source`."""

    def __init__(self, name: str, poll: Poll, clock: Clock, *, every_s: float, manner: PollingOptions = USUAL) -> None:
        self.name = name
        self.poll, self._clock, self._every_s, self._manner = poll, clock, every_s, manner
        self._asked = asyncio.Event()
        self._last_ok = LastTime(clock)
        self._trouble = ""
        self._stopped = False

    def look_now(self) -> None:
        """Poll now, because a webhook says that something has changed."""
        self._asked.set()

    def alive(self) -> None:
        """Record that a round trip of a long step has completed."""
        self._last_ok.note()
        self._trouble = ""

    def health(self) -> Health:
        """Return the last successful step; during an import, also its progress."""
        stale_after_s = self._manner.stale_after_s
        return Health(
            self._last_ok.at,
            3 * self._every_s + LONGEST_STEP_S if stale_after_s is None else stale_after_s,
            self._trouble or self.poll.progress,
            stopped=self._stopped,
            failing=bool(self._trouble),
        )

    async def run(self) -> None:
        """Poll until cancelled; raises `Reconfigure` if only the owner can help."""
        self._stopped = False
        backoff = Backoff(FIRST_PAUSE_S, self._manner.longest_pause_s)
        while True:
            self._asked.clear()
            error, stepped = await self._step()
            if error is None:
                backoff.reset()
                next_s = self._every_s if stepped.next_s is None else stepped.next_s
                await (asyncio.sleep(0) if stepped.more else self._until(next_s, asked=True))
                continue
            self._trouble = error.message
            if (stop := self._manner.stops.get(error.code)) is not None:
                self._stopped = True
                raise stop(error.message)
            wait = max(backoff.next_s(), error.retry_after_s or 0.0)
            log.warning("poll_failed", source=self.name, code=error.code, pause_s=round(wait, 1))
            # Unless this is urgent, the next poll finds what is pushed meanwhile; the provider must not be overloaded.
            await self._until(wait, asked=self._manner.hurries)

    async def _step(self) -> tuple[IntegrationError | None, PollStep]:
        try:
            stepped = await self.poll.step()
        except PollError as failure:
            return failure.error, PollStep()
        except Retryable as error:
            return IntegrationError(code=IntegrationErrorCode.UNAVAILABLE, message=str(error)), PollStep()
        self.alive()
        return None, stepped

    async def _until(self, seconds: float, *, asked: bool) -> None:
        """Wait for the time to pass, or, if `asked`, until a poll is called for."""
        end = asyncio.ensure_future(self._clock.sleep(seconds))
        waits = (end, asyncio.ensure_future(self._asked.wait())) if asked else (end,)
        try:
            await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for wait in waits:
                wait.cancel()
