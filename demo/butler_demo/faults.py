"""Faults by order: what a stand-in shall do wrong and how often, kept apart from how it does right."""

from dataclasses import dataclass
from typing import Generic, TypeVar

ANY_CALL = "*"
Fault = TypeVar("Fault")


@dataclass(slots=True)
class _Order(Generic[Fault]):
    call: str
    fault: Fault
    remaining: int | None


class FaultOrders(Generic[Fault]):
    """The faults that are still to strike, in the order in which they were given."""

    def __init__(self) -> None:
        self._orders: list[_Order[Fault]] = []

    def place(self, call: str, fault: Fault, times: int | None) -> None:
        """Let a fault strike the next `times` of these calls (`*`: of any); None means until `clear`."""
        self._orders.append(_Order(call, fault, times))

    def take(self, call: str) -> Fault | None:
        """The fault that strikes this call, used up once."""
        order = next((order for order in self._orders if order.call in {call, ANY_CALL}), None)
        if order is None:
            return None
        if order.remaining is not None:
            order.remaining -= 1
            if order.remaining <= 0:
                self._orders.remove(order)
        return order.fault

    def clear(self) -> None:
        """Forget what has not struck yet."""
        self._orders.clear()
