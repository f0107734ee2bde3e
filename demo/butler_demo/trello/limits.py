"""How many requests Trello takes: 300 in ten seconds of a key, 100 of a token, few of members.

Everything is counted on the stand-in's clock, so that a test turns it instead of waiting.
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from butler_demo.trello.credentials import Access
from butler_demo.trello.errors import TrelloError

_MEMBERS_WINDOW = timedelta(minutes=15)


@dataclass(frozen=True)
class LimitRules:
    """Requests within a window that slides; `of_members` is for addresses that begin with /members/, in 15 minutes."""

    per_key: int = 300
    per_token: int = 100
    window: timedelta = timedelta(seconds=10)
    of_members: int = 100


@dataclass(frozen=True)
class _Budget:
    """How many requests of somebody fit into a window, and what is answered to more."""

    whose: str
    most: int
    window: timedelta
    code: str


class Meter:
    """Counts every call; refuses only while `enforced`. A refused call is not counted as a call."""

    def __init__(self) -> None:
        self.rules = LimitRules()
        self.enforced = False
        self.refused = 0
        self.in_all = 0
        self._times: defaultdict[str, deque[datetime]] = defaultdict(deque)

    def charge(self, access: Access, path: str, now: datetime) -> None:
        """Count a request. Raises TrelloError 429 where there were too many."""
        budgets = list(self._budgets(access, path))
        for budget in budgets:
            if self.enforced and self._left(budget, now) <= 0:
                self.refused += 1
                raise TrelloError(429, "Rate limit exceeded", budget.code)
        self.in_all += 1
        for budget in budgets:
            self._times[budget.whose].append(now)

    def headers(self, access: Access, now: datetime) -> dict[str, str]:
        """Return what Trello says in each answer of what is left of the key's and the token's budget."""
        headers: dict[str, str] = {}
        for kind, budget in zip(("key", "token"), self._budgets(access, ""), strict=True):
            start = f"x-rate-limit-api-{kind}"
            headers[f"{start}-interval-ms"] = str(budget.window // timedelta(milliseconds=1))
            headers[f"{start}-max"] = str(budget.most)
            headers[f"{start}-remaining"] = str(max(0, self._left(budget, now)))
        return headers

    def _budgets(self, access: Access, path: str) -> Iterator[_Budget]:
        rules = self.rules
        yield _Budget(f"key {access.key}", rules.per_key, rules.window, "API_KEY_LIMIT_EXCEEDED")
        yield _Budget(f"token {access.token}", rules.per_token, rules.window, "API_TOKEN_LIMIT_EXCEEDED")
        if path.startswith("/members/"):
            yield _Budget(f"members {access.token}", rules.of_members, _MEMBERS_WINDOW, "RATE_LIMIT_EXCEEDED")

    def _left(self, budget: _Budget, now: datetime) -> int:
        times = self._times[budget.whose]
        while times and times[0] <= now - budget.window:
            times.popleft()
        return budget.most - len(times)
