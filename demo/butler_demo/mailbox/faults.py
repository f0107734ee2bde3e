"""Faults by order: what the stand-in shall do wrong, how often, kept apart from how it does right."""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

SmtpStage = Literal["connect", "auth", "mail", "rcpt", "data", "after_data"]
ImapAnswer = Literal["NO", "BAD", "BYE", "DROP", "HANG"]


@dataclass(frozen=True, slots=True)
class SmtpFault:
    """An SMTP answer to give; without a code the connection is cut with no answer."""

    code: int | None
    text: str


@dataclass(frozen=True, slots=True)
class ImapFault:
    """What a command gets: a tagged NO or BAD, a BYE, a cut connection, or no answer for ever."""

    answer: ImapAnswer
    text: str


Key = TypeVar("Key", bound=Hashable)
Fault = TypeVar("Fault")


class FaultBook(Generic[Key, Fault]):
    """Ordered faults per key, each used up after its number of times."""

    def __init__(self) -> None:
        self._orders: dict[Key, deque[tuple[Fault, int | None]]] = {}

    def order(self, key: Key, fault: Fault, times: int | None) -> None:
        """Queue `fault` for the next `times` takes of `key`; None means until `clear`."""
        self._orders.setdefault(key, deque()).append((fault, times))

    def take(self, key: Key) -> Fault | None:
        """The fault that is due for `key` now, counted as used, or None."""
        orders = self._orders.get(key)
        if not orders:
            return None
        fault, times = orders[0]
        if times is not None:
            orders.popleft()
            if times > 1:
                orders.appendleft((fault, times - 1))
        return fault

    def clear(self) -> None:
        """Forget every order."""
        self._orders.clear()
