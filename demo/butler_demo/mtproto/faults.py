"""Faults by order: the next calls of a method fail, lose their connection or are never answered."""

import enum
from dataclasses import dataclass

ANY_METHOD = "*"


class Moment(enum.Enum):
    """When a fault strikes: instead of the call's effect, or after it."""

    BEFORE_EFFECT = "before_effect"
    AFTER_EFFECT = "after_effect"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Answer this error and do nothing."""

    code: int
    message: str


@dataclass(frozen=True, slots=True)
class Loss:
    """Do not answer; `cut` closes the connection as well."""

    moment: Moment
    cut: bool


Fault = Refusal | Loss


@dataclass(slots=True)
class _Order:
    method: str
    fault: Fault
    remaining: int | None


class FaultPlan:
    """The faults that are still to strike, in the order in which they were given."""

    def __init__(self) -> None:
        self._orders: list[_Order] = []

    def add(self, method: str, fault: Fault, times: int | None) -> None:
        """Strike the next `times` calls (None: all) of a method."""
        self._orders.append(_Order(method, fault, times))

    def take(self, method: str) -> Fault | None:
        """The fault for this call, used up once."""
        order = next((order for order in self._orders if order.method in {method, ANY_METHOD}), None)
        if order is None:
            return None
        if order.remaining is not None:
            order.remaining -= 1
            if order.remaining <= 0:
                self._orders.remove(order)
        return order.fault
