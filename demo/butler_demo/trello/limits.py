"""How many requests Trello takes: 300 in ten seconds of a key, 100 of a token, few of members.

Everything is counted on the stand-in's clock, so that a test turns it instead of waiting.
"""

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from butler_demo.trello.errors import TrelloError


@dataclass(frozen=True)
class LimitRules:
    """Requests within a window that slides."""

    per_key: int = 300
    per_token: int = 100
    window: timedelta = timedelta(seconds=10)
    of_members: int = 100
    """For addresses that begin with /members/."""
    members_window: timedelta = timedelta(seconds=900)
    refusals: int = 200
    """After so many refusals of a key in its window nothing more of it is answered until they are past."""


@dataclass
class _Window:
    """When the requests of the last seconds came."""

    times: deque[datetime] = field(default_factory=deque[datetime])

    def count(self, now: datetime, length: timedelta) -> int:
        while self.times and self.times[0] <= now - length:
            self.times.popleft()
        return len(self.times)


class Meter:
    """Counts every call; refuses only while `enforced`. A refused call is not counted as a call."""

    def __init__(self) -> None:
        self.rules = LimitRules()
        self.enforced = False
        self.refused = 0
        self.in_all = 0
        self._keys: defaultdict[str, _Window] = defaultdict(_Window)
        self._tokens: defaultdict[str, _Window] = defaultdict(_Window)
        self._members: defaultdict[str, _Window] = defaultdict(_Window)
        self._refusals: defaultdict[str, _Window] = defaultdict(_Window)

    def charge(self, key: str, token: str, path: str, now: datetime) -> None:
        """Count a request. Raises TrelloError 429 where there were too many."""
        of_members = path.startswith("/members/")
        if self.enforced:
            self._refuse(key, token, now, of_members=of_members)
        self.in_all += 1
        for windows, name, length in self._windows(key, token, of_members=of_members):
            windows[name].count(now, length)
            windows[name].times.append(now)

    def headers(self, key: str, token: str, now: datetime) -> dict[str, str]:
        """Return what Trello says in each answer of what is left."""
        interval = str(int(self.rules.window.total_seconds() * 1000))
        headers: dict[str, str] = {}
        for kind, most, window in (
            ("key", self.rules.per_key, self._keys[key]),
            ("token", self.rules.per_token, self._tokens[token]),
        ):
            start = f"x-rate-limit-api-{kind}"
            left = max(0, most - window.count(now, self.rules.window))
            headers |= {f"{start}-interval-ms": interval, f"{start}-max": str(most), f"{start}-remaining": str(left)}
        return headers

    def _windows(
        self, key: str, token: str, *, of_members: bool
    ) -> Iterator[tuple[defaultdict[str, _Window], str, timedelta]]:
        yield self._keys, key, self.rules.window
        yield self._tokens, token, self.rules.window
        if of_members:
            yield self._members, token, self.rules.members_window

    def _refuse(self, key: str, token: str, now: datetime, *, of_members: bool) -> None:
        rules = self.rules
        code = ""
        punished = self._refusals[key].count(now, rules.window) > rules.refusals
        if punished or self._keys[key].count(now, rules.window) >= rules.per_key:
            code = "API_KEY_LIMIT_EXCEEDED"
        elif self._tokens[token].count(now, rules.window) >= rules.per_token:
            code = "API_TOKEN_LIMIT_EXCEEDED"
        elif of_members and self._members[token].count(now, rules.members_window) >= rules.of_members:
            code = "RATE_LIMIT_EXCEEDED"
        if code:
            self.refused += 1
            self._refusals[key].times.append(now)
            of_whom = "Exceeded rate limit to /1/member" if code == "RATE_LIMIT_EXCEEDED" else "Rate limit exceeded"
            raise TrelloError(429, of_whom, code)
