"""Limits how often each host is asked, over all callers."""

import asyncio
import time
from collections import OrderedDict

_HOSTS = 512


class HostRateLimiter:
    """Keeps a gap between any two requests to one host."""

    def __init__(self, gap_s: float) -> None:
        self.gap_s = gap_s
        self._free_at: OrderedDict[str, float] = OrderedDict()

    async def turn(self, host: str, gap_s: float = 0.0) -> None:
        """Wait until this host may be asked; `gap_s` is the gap that the host requests, used if longer."""
        now = time.monotonic()
        at = max(now, self._free_at.get(host, now))
        self._free_at[host] = at + max(self.gap_s, gap_s)
        self._free_at.move_to_end(host)
        while len(self._free_at) > _HOSTS:
            self._free_at.popitem(last=False)
        if at > now:
            await asyncio.sleep(at - now)
