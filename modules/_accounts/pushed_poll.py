"""A poll whose provider also sends notifications: keeps them up, and polls less often meanwhile."""

from dataclasses import replace
from datetime import timedelta
from typing import Protocol

import structlog

from butler.contract.errors import Retryable
from butler.contract.polling import LONGEST_STEP_S, USUAL, Poll, PollError, PollingOptions, PollingSource, PollStep
from butler.contract.ports import Clock
from butler.contract.speech import say

log = structlog.get_logger(__name__)

TEND_EVERY = timedelta(hours=1)
TRY_AGAIN = timedelta(minutes=10)


class PushSubscription(Protocol):
    """Notifications by a provider that something has changed."""

    @property
    def wanted(self) -> bool:
        """Return whether notifications are wanted."""
        ...

    async def keep(self) -> None:
        """Request notifications, renew them before they expire, or cancel unwanted ones. Idempotent.

        Raise `PollError`, or `Retryable` if the state cannot be stored now.
        """
        ...


def pushed_source(
    name: str, poll: Poll, promise: PushSubscription, clock: Clock, *, every_s: float, pushed_every_s: float
) -> "tuple[PollingSource, PushedPoll]":
    """Return the source of a poll with optional notifications; with them, it polls every `pushed_every_s`."""
    longest_s = max(every_s, pushed_every_s)
    pushed = PushedPoll(poll, promise, clock, pushed_every_s=longest_s)
    manner = PollingOptions(stale_after_s=3 * longest_s + LONGEST_STEP_S) if promise.wanted else USUAL
    return PollingSource(name, pushed, clock, every_s=every_s, manner=manner), pushed


class PushedPoll:
    """Implements `Poll`. If notifications fail, the poll goes on as without them, only slower to notice."""

    def __init__(self, poll: Poll, promise: PushSubscription, clock: Clock, *, pushed_every_s: float) -> None:
        """`pushed_every_s` is the poll interval while the provider sends notifications."""
        self._poll, self._promise, self._clock = poll, promise, clock
        self._every_s = pushed_every_s
        self._next: float | None = None
        self._trouble = ""

    @property
    def progress(self) -> str:
        return self._poll.progress or self._trouble

    def tend(self) -> None:
        """Renew the notifications at the next step: the account may be another's now."""
        self._next = None

    async def step(self) -> PollStep:
        stepped = await self._poll.step()
        if stepped.more:
            return stepped
        if self._next is None or self._clock.monotonic() >= self._next:
            await self._tend()
        return replace(stepped, next_s=self._every_s) if self._promise.wanted and not self._trouble else stepped

    async def _tend(self) -> None:
        try:
            await self._promise.keep()
        except (PollError, Retryable) as error:
            self._trouble = say("it is not told at once what changes: {why}", why=error)
            self._next = self._clock.monotonic() + TRY_AGAIN.total_seconds()
            log.warning("push_not_set", why=str(error))
        else:
            self._trouble, self._next = "", self._clock.monotonic() + TEND_EVERY.total_seconds()
