"""The people of the test data centre, and waiting for what they notice."""

import asyncio
from collections.abc import Awaitable, Callable

from telethon import TelegramClient

OWNER, ANNA, BEN, STRANGER = 1001, 1002, 1003, 1004
OWNER_PHONE, OWNER_PASSWORD = "+15550001", "correct horse"

Connect = Callable[..., Awaitable[TelegramClient]]


async def wait_until(condition: Callable[[], bool], seconds: float = 5) -> None:
    """Return once the condition holds; fail after the time-out."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - the client sets no event that a test could wait for
            await asyncio.sleep(0.01)
