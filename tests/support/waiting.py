"""Waiting for what no event announces."""

import asyncio
from collections.abc import Callable


async def until(condition: Callable[[], bool], within_s: float = 60.0) -> None:
    """Return once the condition holds; raises `TimeoutError` after `within_s` seconds, which only ends a hang."""
    async with asyncio.timeout(within_s):
        while not condition():  # noqa: ASYNC110 - what is waited for sets no event
            await asyncio.sleep(0.01)
