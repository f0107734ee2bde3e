"""The budget that keeps an account below Google's limit per minute: units of Gmail, requests of Calendar.

Google refuses all calls of a user who spends more units in a minute than a project may. So background work leaves a
part of the budget free for calls that the owner waits for.
"""

import json
import random
from collections import Counter, deque

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.ports import Clock, Cursors
from butler.contract.speech import say

KEPT_FREE = 0.2
"""The share of the budget that background work never spends."""
_WINDOW_S = 60.0
_PATIENCE_S, _BACKGROUND_PATIENCE_S = 10.0, 90.0
"""The longest waits of foreground and background calls, in seconds; a longer one fails with RATE_LIMITED."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 64.0
_LONGEST_HOLD_S = 3600.0


class UnitBudget:
    """The units of one account. A caller waits for units, or is told how long to wait.

    The units of the last minute are stored under `name`, because Google counts them across restarts.
    """

    def __init__(
        self,
        units_per_minute: int,
        clock: Clock,
        *,
        notes: Cursors | None = None,
        name: str = "",
        product: str = "Google",
        chance: random.Random | None = None,
    ) -> None:
        self._most = units_per_minute
        self._clock = clock
        self._product = product
        self._notes, self._name, self._is_recalled = notes, name, notes is None
        self._chance = chance or random.SystemRandom()
        # Times are seconds of the monotonic clock.
        self._spent: deque[tuple[float, int]] = deque()
        self._held: tuple[float, str] | None = None
        self._refusals = 0

    @property
    def in_background(self) -> int:
        """Return how many units per minute background work may spend."""
        return int(self._most * (1 - KEPT_FREE))

    @property
    def left(self) -> int:
        """Return how many units a foreground call can spend now."""
        self._forget()
        return max(0, self._most - self._total)

    async def spend(self, units: int, *, background: bool = False) -> None:
        """Spend units, waiting for them if necessary. Raise a RATE_LIMITED fault if the wait is too long."""
        if not self._is_recalled:
            await self._recall()
        most, patience_s = (self.in_background, _BACKGROUND_PATIENCE_S) if background else (self._most, _PATIENCE_S)
        while True:
            free_at = self._free_at(min(units, most), most)
            if free_at is None:
                self._spent.append((self._clock.monotonic(), units))
                await self._note()
                return
            pause_s = free_at - self._clock.monotonic()
            if pause_s > patience_s:
                raise self._rate_limited(pause_s)
            await self._clock.sleep(pause_s)

    def refused(self, retry_after_s: float | None, why: str) -> float:
        """Record a refusal; no call is made for the returned seconds, at most an hour."""
        pause_s = retry_after_s
        if pause_s is None:
            longest = min(_FIRST_PAUSE_S * 2**self._refusals, _LONGEST_PAUSE_S)
            pause_s = longest * self._chance.uniform(0.5, 1.0)
            self._refusals = min(self._refusals + 1, 10)
        until = self._clock.monotonic() + min(pause_s, _LONGEST_HOLD_S)
        if self._held is None or self._held[0] < until:
            self._held = (until, why)
        return pause_s

    def accepted(self) -> None:
        """Record a success, which resets the backoff."""
        self._refusals = 0

    async def _recall(self) -> None:
        """Load what an earlier process spent."""
        assert self._notes is not None, "there is something to recall"
        noted: dict[str, int] = json.loads(await self._notes.get(self._name) or "{}")
        # Another call may have loaded it while this one waited.
        if not self._is_recalled:
            self._is_recalled = True
            ahead = self._clock.now().timestamp() - self._clock.monotonic()
            earlier = ((int(second) - ahead, units) for second, units in noted.items())
            self._spent.extendleft(sorted(earlier, reverse=True))

    async def _note(self) -> None:
        if self._notes is None:
            return
        self._forget()
        noted: Counter[int] = Counter()
        ahead = self._clock.now().timestamp() - self._clock.monotonic()
        for at, units in self._spent:
            noted[int(at + ahead)] += units
        await self._notes.set(self._name, json.dumps(noted))

    @property
    def _total(self) -> int:
        return sum(units for _, units in self._spent)

    def _forget(self) -> None:
        now = self._clock.monotonic()
        # If the clock was set back, an earlier process's entries lie in the future; nobody should wait for those.
        while self._spent and not now - _WINDOW_S < self._spent[0][0] <= now:
            self._spent.popleft()
        if self._held is not None and self._held[0] <= now:
            self._held = None

    def _free_at(self, units: int, most: int) -> float | None:
        """Return when so many units are free, by the monotonic clock; None: now."""
        self._forget()
        if self._held is not None:
            return self._held[0]
        over = self._total + units - most
        if over <= 0:
            return None
        for at, spent in self._spent:
            over -= spent
            if over <= 0:
                return at + _WINDOW_S
        return None

    def _rate_limited(self, pause_s: float) -> IntegrationFault:
        why = (
            self._held[1]
            if self._held is not None
            else say("what {product} allows in a minute is used up", product=self._product)
        )
        return IntegrationFault(
            IntegrationErrorCode.RATE_LIMITED,
            say("{why}; it can be tried again in {time}", why=why, time=_in_words(pause_s)),
            effect=Effect.NONE,
            retry_after_s=pause_s,
        )


def _in_words(seconds: float) -> str:
    if seconds < 90:  # noqa: PLR2004 - from here on minutes read better
        return say("{count} seconds", count=max(1, round(seconds)))
    minutes = round(seconds / 60)
    if minutes < 90:  # noqa: PLR2004 - and from here on hours
        return say("{count} minutes", count=minutes)
    return say("{count} hours", count=round(minutes / 60))
