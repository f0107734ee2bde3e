"""Faults by order: refusals, lost answers, slow answers, flood control."""

import math
from collections import defaultdict, deque
from dataclasses import dataclass

from butler_demo.faults import FaultOrders

from .errors import ApiError, too_many_requests
from .records import Clock


@dataclass(frozen=True, slots=True)
class Fault:
    """What to do to a call."""

    error: ApiError | None = None
    drop_after_effect: bool = False
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class FloodLimit:
    """At most `messages` sends and edits to a chat within `seconds`."""

    messages: int
    seconds: float


class Faults(FaultOrders[Fault]):
    """The faults still to strike, and flood control."""

    def __init__(self, now: Clock) -> None:
        super().__init__()
        self.flood_limit: FloodLimit | None = None
        self._now = now
        self._sent: dict[int, deque[float]] = defaultdict(deque)

    def clear(self) -> None:
        """Forget all faults that have not struck yet, and the flood limit."""
        super().clear()
        self.flood_limit = None

    def count_message(self, chat_id: int) -> None:
        """Count a send or an edit; raises ApiError 429 beyond the limit (a refused one counts too)."""
        if self.flood_limit is None:
            return
        sent, now = self._sent[chat_id], self._now()
        while sent and sent[0] <= now - self.flood_limit.seconds:
            sent.popleft()
        over = len(sent) >= self.flood_limit.messages
        sent.append(now)
        if over:
            wait = sent[-self.flood_limit.messages] + self.flood_limit.seconds - now
            raise too_many_requests(max(1, math.ceil(wait)))
