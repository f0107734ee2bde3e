"""The budget that keeps an account below what Google allows in a minute: units of Gmail, requests of Calendar.

Google refuses a user who spends more units in a minute than a project may, and refuses everything then, so a part of
the budget is kept free for what the person waits for: what runs in the background never uses it up.
"""

import json
import random
from collections import Counter, deque

from butler.contract.errors import Effect, IntegrationErrorCode, IntegrationFault
from butler.contract.ports import Clock, Cursors
from butler.contract.speech import say

KEPT_FREE = 0.2
"""The part of the budget that is never spent in the background."""
_WINDOW_S = 60.0
_PATIENCE_S, _BACKGROUND_PATIENCE_S = 10.0, 90.0
"""How long a call waits, that somebody waits for and that nobody does; after that it is told to come again."""
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 1.0, 64.0
_LONGEST_HOLD_S = 3600.0


class UnitBudget:
    """The units of one account. Whoever finds it spent waits; whoever cannot wait is told for how long.

    What was spent in the last minute is noted under `name`, because Google remembers it whatever becomes of a process.
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
        # Seconds by the monotonic clock.
        self._spent: deque[tuple[float, int]] = deque()
        self._held: tuple[float, str] | None = None
        self._refusals = 0

    @property
    def in_background(self) -> int:
        """How much of a minute's units may be spent in the background."""
        return int(self._most * (1 - KEPT_FREE))

    @property
    def left(self) -> int:
        """What can be spent now by a call that somebody waits for."""
        self._forget()
        return max(0, self._most - self._total)

    async def spend(self, units: int, *, background: bool = False) -> None:
        """Take units, once they are there. Raises a RATE_LIMITED fault where that is too long."""
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
                raise self._told(pause_s)
            await self._clock.sleep(pause_s)

    def refused(self, retry_after_s: float | None, why: str) -> float:
        """Google refused a call; nothing is asked before the returned seconds are over, an hour at most."""
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
        """Google answered a call: the next refusal is a first one."""
        self._refusals = 0

    async def _recall(self) -> None:
        """What an earlier process has spent."""
        assert self._notes is not None, "there is something to recall"
        noted: dict[str, int] = json.loads(await self._notes.get(self._name) or "{}")
        # Another call may have waited for the same.
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
        # What an earlier process noted by a clock that was set back since lies ahead, and nobody should wait for it.
        while self._spent and not now - _WINDOW_S < self._spent[0][0] <= now:
            self._spent.popleft()
        if self._held is not None and self._held[0] <= now:
            self._held = None

    def _free_at(self, units: int, most: int) -> float | None:
        """When so many units are free, by the monotonic clock; None: now."""
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

    def _told(self, pause_s: float) -> IntegrationFault:
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
