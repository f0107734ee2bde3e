"""The waits that Telegram demanded of a feed, kept by kind of request: other requests go on meanwhile."""

import time
from collections.abc import Awaitable, Callable

from butler.contract.backoff import LONGEST_S
from butler.contract.errors import IntegrationErrorCode
from butler.contract.speech import say, say_list
from modules.telegram.feed_calls import CallFailedError


class Waits:
    """Keeps until when each kind of request has to wait."""

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    async def unless(self, what: str, work: Callable[[], Awaitable[None]]) -> bool:
        """Do the work, which `what` names in words; return False if Telegram demands, or demanded earlier, to wait."""
        if self._until.get(what, 0.0) > time.monotonic():
            return False
        try:
            await work()
        except CallFailedError as failed:
            if failed.error.code is not IntegrationErrorCode.RATE_LIMITED:
                raise
            self._until[what] = time.monotonic() + (failed.error.retry_after_s or LONGEST_S)
            return False
        self._until.pop(what, None)
        return True

    @property
    def text(self) -> str:
        """Return a text about what waits and how long; empty if nothing does."""
        now = time.monotonic()
        waiting = [
            say("{what} for {seconds:.0f} s", what=say(what), seconds=until - now)
            for what, until in self._until.items()
            if until > now
        ]
        return say("Telegram asks to wait with {these}", these=say_list(waiting)) if waiting else ""
