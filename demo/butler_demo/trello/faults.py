"""Faults by order: the next calls of an operation fail, hang or answer nonsense, as a test or the demo asks for."""

from collections import deque
from dataclasses import dataclass

from butler_demo.trello.errors import TrelloError

ANY_OPERATION = "*"


@dataclass(frozen=True)
class Fault:
    """One call that goes wrong: refused with `status`, dropped without an answer, slow or garbled.

    Status 0 is no refusal. `drops` closes the connection; with `after_effect` the work is done before.
    """

    status: int = 0
    message: str = ""
    code: str = ""
    retry_after: int | None = None
    drops: bool = False
    after_effect: bool = False
    delay_s: float = 0.0
    garbled: bool = False

    def error(self) -> TrelloError:
        """Return the error that the client is to see."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        return TrelloError(self.status, self.message or f"Fault by order: {self.status}", self.code, headers)


class FaultOrders:
    """The faults still to come, in order, per operation."""

    def __init__(self) -> None:
        self._orders: dict[str, deque[Fault]] = {}

    def place(self, operation_id: str, fault: Fault, times: int) -> None:
        """Let the next `times` calls of the operation go wrong."""
        self._orders.setdefault(operation_id, deque()).extend([fault] * times)

    def take(self, operation_id: str) -> Fault | None:
        """Use up the next fault of the operation, None if there is none."""
        for name in (operation_id, ANY_OPERATION):
            if orders := self._orders.get(name):
                return orders.popleft()
        return None

    def clear(self) -> None:
        """Forget what has not struck yet."""
        self._orders.clear()
