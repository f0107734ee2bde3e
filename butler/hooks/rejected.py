"""Handles refused requests: counts them, logs them without their content, and tells the owner if they go on."""

import time
from collections import deque
from collections.abc import Callable

import structlog

from butler.contract.speech import say
from butler.services import Tell

log = structlog.get_logger(__name__)

TOLD_AFTER = 5
"""The requests within `WITHIN_S` without proof of their sender after which the owner is told; fewer may be a typo."""
WITHIN_S = 3_600.0
LOGGED_EVERY_S = 1.0
"""The interval between log lines of one kind, so that many requests do not fill the log."""
_UNPROVED = frozenset({401, 403})
Count = Callable[[str, str], None]
"""Takes a receiver's name and the outcome of a request."""


class RejectedRequests:
    """Remembers only the last few refused requests of each receiver."""

    def __init__(self, tell: Tell, count: Count, *, tick: Callable[[], float] = time.monotonic) -> None:
        self._tell, self._count, self._tick = tell, count, tick
        self._recent: dict[str, deque[float]] = {}
        self._logged: dict[tuple[str, int], float] = {}

    async def note(self, receiver: str, status: int, why: str, remote: str) -> None:
        """Note that a request was answered with this status. `why` holds nothing of its content."""
        self._count(receiver, str(status))
        now = self._tick()
        if now - self._logged.get((receiver, status), now - LOGGED_EVERY_S) >= LOGGED_EVERY_S:
            self._logged[receiver, status] = now
            log.info("hook_refused", receiver=receiver, status=status, why=why, remote=remote)
        if status not in _UNPROVED:
            return
        recent = self._recent.setdefault(receiver, deque(maxlen=TOLD_AFTER))
        recent.append(now)
        if len(recent) < TOLD_AFTER or now - recent[0] > WITHIN_S:
            return
        recent.clear()
        text = say(
            "Somebody calls the webhook {name} again and again without proof of who they are, last from {address}."
            " Nothing of it was let through. If it should be: {why}",
            name=receiver,
            address=remote,
            why=why,
        )
        await self._tell(f"hook_unproved:{receiver}", text)
