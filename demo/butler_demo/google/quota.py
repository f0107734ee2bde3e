"""Quota: what each call costs, the budgets of a minute, and how a refusal looks.

Everything is counted on the stand-in's clock, so that a test turns it instead of waiting.
"""

import math
from collections import defaultdict, deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum

from butler_demo.google.errors import GoogleError

_MINUTE = timedelta(minutes=1)


class Refusal(StrEnum):
    """The ways in which Google says that it was too much."""

    USER_403 = "403 userRateLimitExceeded"
    RATE_403 = "403 rateLimitExceeded"
    RATE_429 = "429 with Retry-After"
    BARE_429 = "429 without Retry-After"
    WORDED_429 = "429 with the time in its message"


@dataclass(frozen=True)
class QuotaRules:
    """Units per operation id, and budgets in units; None means no such limit.

    An id with `:media` at its end is the download of the content.
    """

    units: Mapping[str, int]
    other: int
    """What an operation costs that `units` does not name."""
    user_per_minute: int | None
    project_per_minute: int | None

    def cost(self, operation_id: str) -> int:
        """Return the units of one call."""
        return self.units.get(operation_id, self.units.get(operation_id.removesuffix(":media"), self.other))


@dataclass
class _Window:
    """Units spent in the last minute."""

    charges: deque[tuple[datetime, int]] = field(default_factory=deque[tuple[datetime, int]])
    spent: int = 0

    def turn(self, now: datetime) -> None:
        while self.charges and self.charges[0][0] <= now - _MINUTE:
            self.spent -= self.charges.popleft()[1]

    def add(self, now: datetime, units: int) -> None:
        self.charges.append((now, units))
        self.spent += units

    def wait_for(self, units: int, budget: int, now: datetime) -> int:
        """Return the whole seconds until that many units fit into the budget."""
        missing = self.spent + units - budget
        for at, freed in self.charges:
            missing -= freed
            if missing <= 0:
                return max(1, math.ceil((at + _MINUTE - now).total_seconds()))
        return math.ceil(_MINUTE.total_seconds())


class Meter:
    """Counts every call; refuses only while `enforced`. A refused call costs nothing.

    `refusal` says how a refusal looks.
    """

    def __init__(self, rules: QuotaRules) -> None:
        self.rules = rules
        self.enforced = False
        self.refusal = Refusal.RATE_429
        self.refused = 0
        self._users: defaultdict[str, _Window] = defaultdict(_Window)
        self._project = _Window()
        self._in_all: defaultdict[str, int] = defaultdict(int)
        self._calls: defaultdict[str, int] = defaultdict(int)

    def spent_in_all(self, address: str) -> int:
        """Return the units that the account spent since the start."""
        return self._in_all[address]

    def calls_in_all(self, address: str) -> int:
        """Return how many calls the account made since the start that were not refused."""
        return self._calls[address]

    def charge(self, address: str, operation_id: str, now: datetime) -> None:
        """Charge a call. Raises GoogleError 403 or 429 where a budget does not hold it."""
        units = self.rules.cost(operation_id)
        user = self._users[address]
        user.turn(now)
        self._project.turn(now)
        if self.enforced:
            self._check_minute(user, self.rules.user_per_minute, "per minute per user", units, now)
            self._check_minute(self._project, self.rules.project_per_minute, "per minute", units, now)
        user.add(now, units)
        self._project.add(now, units)
        self._in_all[address] += units
        self._calls[address] += 1

    def _check_minute(self, window: _Window, budget: int | None, limit: str, units: int, now: datetime) -> None:
        if budget is None or window.spent + units <= budget:
            return
        self.refused += 1
        wait = window.wait_for(units, budget, now)
        message = f"Quota exceeded for quota metric 'Queries' and limit 'Queries {limit}'"
        match self.refusal:
            case Refusal.USER_403:
                raise GoogleError(403, "userRateLimitExceeded", f"User Rate Limit Exceeded. {message}")
            case Refusal.RATE_403:
                raise GoogleError(403, "rateLimitExceeded", f"Rate Limit Exceeded. {message}")
            case Refusal.BARE_429:
                raise GoogleError(429, "rateLimitExceeded", message)
            case Refusal.WORDED_429:
                raise GoogleError(429, "rateLimitExceeded", retry_message(now + timedelta(seconds=wait)))
            case Refusal.RATE_429:
                headers = {"Retry-After": str(wait)}
                raise GoogleError(429, "rateLimitExceeded", message, headers=headers)


def retry_message(when: datetime) -> str:
    """Return the words in which Gmail says until when it takes nothing more of a user."""
    utc = when.astimezone(UTC)
    return f"User-rate limit exceeded.  Retry after {utc:%Y-%m-%dT%H:%M:%S}.{utc.microsecond // 1000:03d}Z"
