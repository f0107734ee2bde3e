"""Faults by order: the next calls of an operation fail in the way a test or a demo asks for."""

from collections import deque
from dataclasses import dataclass

from butler_demo.google.errors import GoogleError


@dataclass(frozen=True)
class Fault:
    """One failing call. Status 0 closes the connection without an answer; `after_effect` does so with the work done."""

    status: int
    reason: str
    retry_after: int | None = None
    after_effect: bool = False
    message: str = ""

    @property
    def drops(self) -> bool:
        """Whether the connection closes before anything is done."""
        return self.status == 0 and not self.after_effect

    def error(self) -> GoogleError:
        """Return the error that the client is to see."""
        headers = {} if self.retry_after is None else {"Retry-After": str(self.retry_after)}
        message = self.message or f"Fault by order: {self.reason}"
        return GoogleError(self.status, self.reason, message, headers=headers)


class FaultOrders:
    """The faults still to come, in order, per operation."""

    def __init__(self) -> None:
        self._orders: dict[str, deque[Fault]] = {}

    def place(self, operation_id: str, fault: Fault, times: int) -> None:
        """Let the next `times` calls of the operation fail."""
        self._orders.setdefault(operation_id, deque()).extend([fault] * times)

    def take(self, operation_id: str) -> Fault | None:
        """Use up the next fault of the operation, None if there is none."""
        orders = self._orders.get(operation_id)
        return orders.popleft() if orders else None
