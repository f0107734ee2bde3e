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


@dataclass(frozen=True, slots=True)
class Delay:
    """Answer late."""

    seconds: float


Fault = Refusal | Loss | Delay


@dataclass(slots=True)
class _Order:
    method: str
    fault: Fault
    user_id: int | None
    remaining: int | None
    to_pass: int

    def applies(self, method: str, user_id: int | None) -> bool:
        return self.method in {method, ANY_METHOD} and self.user_id in {None, user_id}


class FaultPlan:
    """The faults that are still to strike, in the order in which they were given."""

    def __init__(self) -> None:
        self._orders: list[_Order] = []

    def add(self, method: str, fault: Fault, *, user_id: int | None, times: int | None, after: int) -> None:
        """Strike `times` calls (None: all) of a method, of one account or of all, once `after` have passed."""
        self._orders.append(_Order(method, fault, user_id, times, after))

    def take(self, method: str, user_id: int | None) -> Fault | None:
        """The fault for this call, used up once."""
        order = next((order for order in self._orders if order.applies(method, user_id)), None)
        if order is None:
            return None
        if order.to_pass:
            order.to_pass -= 1
            return None
        if order.remaining is not None:
            order.remaining -= 1
            if order.remaining <= 0:
                self._orders.remove(order)
        return order.fault

    def clear(self) -> None:
        """Nothing fails any more."""
        self._orders.clear()
