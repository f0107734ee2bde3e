"""A poll whose provider also calls by itself: what it promised is kept up, and meanwhile it is looked at less often."""

from dataclasses import replace
from datetime import timedelta
from typing import Protocol

import structlog

from butler.contract.errors import Retryable
from butler.contract.polling import LONGEST_STEP_S, USUAL, Manner, Poll, PollError, PollingSource, Stepped
from butler.contract.ports import Clock
from butler.contract.speech import say

log = structlog.get_logger(__name__)

TEND_EVERY = timedelta(hours=1)
TRY_AGAIN = timedelta(minutes=10)


class Promise(Protocol):
    """That a provider calls when something has changed."""

    @property
    def wanted(self) -> bool:
        """Whether it is to call."""
        ...

    async def keep(self) -> None:
        """Ask for it, or renew it before it ends; take it back where it is not wanted. Harmless when nothing is due.

        Raises `PollError`, or `Retryable` where it cannot be stored now.
        """
        ...


def pushed_source(
    name: str, poll: Poll, promise: Promise, clock: Clock, *, every_s: float, pushed_every_s: float
) -> "tuple[PollingSource, Pushed]":
    """The source of a poll whose provider may call; while it does, `pushed_every_s` goes between two looks."""
    longest_s = max(every_s, pushed_every_s)
    pushed = Pushed(poll, promise, clock, pushed_every_s=longest_s)
    manner = Manner(stale_after_s=3 * longest_s + LONGEST_STEP_S) if promise.wanted else USUAL
    return PollingSource(name, pushed, clock, every_s=every_s, manner=manner), pushed


class Pushed:
    """Meets `Poll`. A promise that cannot be kept costs nothing but the haste: the poll goes on as without it."""

    def __init__(self, poll: Poll, promise: Promise, clock: Clock, *, pushed_every_s: float) -> None:
        """`pushed_every_s` is how often it is looked all the same while the provider calls."""
        self._poll, self._promise, self._clock = poll, promise, clock
        self._every_s = pushed_every_s
        self._next: float | None = None
        self._trouble = ""

    @property
    def progress(self) -> str:
        return self._poll.progress or self._trouble

    def tend(self) -> None:
        """The account may be another's now: see to the promise at the next step."""
        self._next = None

    async def step(self) -> Stepped:
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
