"""Faults by order: the next calls of an operation go wrong as a test asks for."""

from collections import deque
from typing import Generic, TypeVar

Fault = TypeVar("Fault")


class FaultOrders(Generic[Fault]):
    """The faults still to come, in order, per operation."""

    def __init__(self) -> None:
        self._orders: dict[str, deque[Fault]] = {}

    def place(self, operation_id: str, fault: Fault, times: int) -> None:
        """Let the next `times` calls of the operation go wrong."""
        self._orders.setdefault(operation_id, deque()).extend([fault] * times)

    def take(self, operation_id: str) -> Fault | None:
        """Use up the next fault of the operation, None if there is none."""
        orders = self._orders.get(operation_id)
        return orders.popleft() if orders else None

    def clear(self) -> None:
        """Forget what has not struck yet."""
        self._orders.clear()
