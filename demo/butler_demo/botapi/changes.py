"""Waiting for a condition on the stand-in, evaluated anew after each change instead of by the clock."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Changes:
    """Who changes something calls `touch`; who waits for something awaits `until`."""

    def __init__(self) -> None:
        self._waiting: list[asyncio.Event] = []

    def touch(self) -> None:
        for event in self._waiting:
            event.set()

    async def until(self, condition: Callable[[], T], seconds: float) -> T:
        """The first true value of the condition; raises TimeoutError after `seconds`."""
        changed = asyncio.Event()
        self._waiting.append(changed)
        try:
            async with asyncio.timeout(seconds):
                while not (value := condition()):
                    await changed.wait()
                    changed.clear()
                return value
        finally:
            self._waiting.remove(changed)
