"""Limits how many requests a sender may make a minute, in memory that does not grow with the number of senders.

Requests without proof count against their own address, and never against senders with proof: a receiver's total counts
only stored requests. While too many requests lack proof, each address has few tries without proof, but as many
deliveries with proof as before.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

WINDOW_S = 60.0
MOST_SENDERS = 10_000
MOST_PER_MINUTE = 1_200
"""The most requests a minute: stored by one receiver, unless it accepts more from one address; without proof at all
receivers together; and for unknown names."""
FEW = 5
"""The requests without proof that an address may make while there are too many of them in total."""
UNKNOWN_PER_MINUTE = 60
_UNKNOWN = ""
_OF_ONE_HOLDER = 64
"""The prefix length of an IPv6 network that belongs to one holder, who may use any address in it."""


@dataclass(slots=True)
class _Counts:
    """The counts of one address at one receiver."""

    proved: int = 0
    unproved: int = 0


class Limits:
    """Counts requests by sender in windows of a minute."""

    def __init__(self, *, most: int = MOST_PER_MINUTE, tick: Callable[[], float] = time.monotonic) -> None:
        """`tick` returns the seconds of a clock that is never set."""
        self._most, self._tick = most, tick
        self._counts: OrderedDict[tuple[str, str], _Counts] = OrderedDict()
        self._stored: dict[str, int] = {}
        self._unproved = self._unknown = 0
        self._since = tick()

    def wait_s(self, receiver: str, address: str, most: int) -> int:
        """Return 0 if an address may send to a receiver, or the seconds to wait. `most` is the limit per minute."""
        self._begin()
        counts = self._counts.get((receiver, _holder(address)))
        stored = self._stored.get(receiver, 0)
        if stored < max(self._most, most) and (counts is None or self._may(counts, most)):
            return 0
        return self._left_s()

    def proved(self, receiver: str, address: str) -> None:
        """Count a request that proved its sender."""
        self._begin()
        self._of(receiver, address).proved += 1

    def stored(self, receiver: str) -> None:
        """Count a request that was also new, which an intercepted delivery sent again by anybody is not."""
        self._begin()
        self._stored[receiver] = self._stored.get(receiver, 0) + 1

    def unproved(self, receiver: str, address: str) -> None:
        """Count a request without proof of its sender, or with a wrong one."""
        self._begin()
        self._of(receiver, address).unproved += 1
        self._unproved += 1

    def unknown_wait_s(self, address: str) -> int:
        """Count a request for an unknown name; return 0, or the seconds until the next one is handled."""
        self._begin()
        counts = self._of(_UNKNOWN, address)
        counts.unproved += 1
        self._unknown += 1
        return self._left_s() if counts.unproved > UNKNOWN_PER_MINUTE or self._unknown > self._most else 0

    def _may(self, counts: _Counts, most: int) -> bool:
        tries = most if self._unproved < self._most else min(most, FEW)
        return counts.unproved < tries and counts.proved + counts.unproved < most

    def _of(self, receiver: str, address: str) -> _Counts:
        key = (receiver, _holder(address))
        counts = self._counts.pop(key, None) or _Counts()
        self._counts[key] = counts
        if len(self._counts) > MOST_SENDERS:
            self._counts.popitem(last=False)
        return counts

    def _begin(self) -> None:
        now = self._tick()
        if now - self._since >= WINDOW_S:
            self._counts.clear()
            self._stored.clear()
            self._unproved = self._unknown = 0
            self._since = now

    def _left_s(self) -> int:
        return max(1, round(self._since + WINDOW_S - self._tick()))


def _holder(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, _OF_ONE_HOLDER), strict=False))
    return address
