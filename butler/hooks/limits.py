"""How many requests a sender may make a minute, in memory that does not grow with how many senders there are."""

import time
from collections import OrderedDict
from collections.abc import Callable
from ipaddress import IPv6Address, ip_address, ip_network

WINDOW_S = 60.0
MOST_SENDERS = 10_000
MOST_PER_MINUTE = 1_200
"""Of all senders together."""
_OF_ONE_HOLDER = 64
"""Bits of an IPv6 address that one holder of a network has to choose from."""


class Limits:
    """Counts requests by sender in windows of a minute."""

    def __init__(self, *, most: int = MOST_PER_MINUTE, tick: Callable[[], float] = time.monotonic) -> None:
        """`tick`: seconds of a clock that is never turned."""
        self._most, self._tick = most, tick
        self._counts: OrderedDict[str, int] = OrderedDict()
        self._total = 0
        self._since = tick()

    def wait_s(self, where: str, address: str, most: int) -> int:
        """Count a request; 0 where it may be made, else in how many seconds the next may."""
        now = self._tick()
        if now - self._since >= WINDOW_S:
            self._counts.clear()
            self._total, self._since = 0, now
        key = f"{where} {_holder(address)}"
        count = self._counts.pop(key, 0) + 1
        self._counts[key] = count
        if len(self._counts) > MOST_SENDERS:
            self._counts.popitem(last=False)
        if count > most:
            return self._left_s(now)
        self._total += 1
        return self._left_s(now) if self._total > self._most else 0

    def _left_s(self, now: float) -> int:
        return max(1, round(self._since + WINDOW_S - now))


def _holder(address: str) -> str:
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, IPv6Address):
        return str(ip_network((parsed, _OF_ONE_HOLDER), strict=False))
    return address
