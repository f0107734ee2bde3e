"""How many requests a sender may make a minute, in memory that does not grow with how many senders there are.

What somebody can do who proves nothing counts against them and never against who proves who they are: a receiver's
total is of what it stored, and while many send what proves nothing, each address has few tries of that kind and not
fewer deliveries.
"""

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

WINDOW_S = 60.0
MOST_SENDERS = 10_000
MOST_PER_MINUTE = 1_200
"""Of what one receiver stores, where one address may not send it more; of what proves nothing, at all receivers
together; and of names that there are not."""
FEW = 5
"""Requests of an address that prove nothing, while there are too many of them in all."""
UNKNOWN_PER_MINUTE = 60
_UNKNOWN = ""
_OF_ONE_HOLDER = 64
"""Bits of an IPv6 address that one holder of a network has to choose from."""


@dataclass(slots=True)
class _Counts:
    """Of one address at one receiver."""

    proved: int = 0
    unproved: int = 0


class Limits:
    """Counts requests by sender in windows of a minute."""

    def __init__(self, *, most: int = MOST_PER_MINUTE, tick: Callable[[], float] = time.monotonic) -> None:
        """`tick`: seconds of a clock that is never turned."""
        self._most, self._tick = most, tick
        self._counts: OrderedDict[tuple[str, str], _Counts] = OrderedDict()
        self._stored: dict[str, int] = {}
        self._unproved = self._unknown = 0
        self._since = tick()

    def wait_s(self, receiver: str, address: str, most: int) -> int:
        """0 where an address may send to a receiver, else in how many seconds it may. `most` is a minute's."""
        self._begin()
        counts = self._counts.get((receiver, _holder(address)))
        stored = self._stored.get(receiver, 0)
        if stored < max(self._most, most) and (counts is None or self._may(counts, most)):
            return 0
        return self._left_s()

    def proved(self, receiver: str, address: str) -> None:
        """A request showed who sends it."""
        self._begin()
        self._of(receiver, address).proved += 1

    def stored(self, receiver: str) -> None:
        """It was new, too. A delivery that was listened to, sent again from anywhere, is not."""
        self._begin()
        self._stored[receiver] = self._stored.get(receiver, 0) + 1

    def unproved(self, receiver: str, address: str) -> None:
        """A request showed nothing, or nothing that was right."""
        self._begin()
        self._of(receiver, address).unproved += 1
        self._unproved += 1

    def unknown_wait_s(self, address: str) -> int:
        """Count a request for a name that there is not: 0, or in how many seconds the next is looked at."""
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
