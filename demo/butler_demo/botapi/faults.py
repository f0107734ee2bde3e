"""Faults by order: refusals, lost answers, slow answers, flood control."""

import math
from collections import defaultdict, deque
from dataclasses import dataclass, field

from .errors import ApiError, too_many_requests
from .records import Clock

ANY_METHOD = "*"


@dataclass(slots=True)
class Fault:
    """What to do to the next `times` calls of a method."""

    method: str
    times: int
    error: ApiError | None = None
    drop_after_effect: bool = False
    delay: float = 0.0


@dataclass(frozen=True, slots=True)
class FloodLimit:
    """At most `messages` sends and edits to a chat within `seconds`."""

    messages: int
    seconds: float


@dataclass(slots=True)
class Faults:
    now: Clock
    flood_limit: FloodLimit | None = None
    _queue: list[Fault] = field(default_factory=list[Fault])
    _sent: dict[int, deque[float]] = field(default_factory=lambda: defaultdict(deque))

    def add(self, fault: Fault) -> None:
        self._queue.append(fault)

    def clear(self) -> None:
        """Forget all faults that have not struck yet, and the flood limit."""
        self._queue.clear()
        self.flood_limit = None

    def take(self, method: str) -> Fault | None:
        """The fault that strikes this call, counted down."""
        for fault in self._queue:
            if fault.method in {method, ANY_METHOD}:
                fault.times -= 1
                if fault.times <= 0:
                    self._queue.remove(fault)
                return fault
        return None

    def count_message(self, chat_id: int) -> None:
        """Count a send or an edit; raises ApiError 429 beyond the limit (a refused one counts too)."""
        if self.flood_limit is None:
            return
        sent, now = self._sent[chat_id], self.now()
        while sent and sent[0] <= now - self.flood_limit.seconds:
            sent.popleft()
        over = len(sent) >= self.flood_limit.messages
        sent.append(now)
        if over:
            wait = sent[-self.flood_limit.messages] + self.flood_limit.seconds - now
            raise too_many_requests(max(1, math.ceil(wait)))
