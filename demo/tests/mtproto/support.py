"""The people of the test data centre, and waiting for what they notice."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from telethon import TelegramClient

OWNER, ANNA, BEN, STRANGER = 1001, 1002, 1003, 1004
OWNER_PHONE, OWNER_PASSWORD = "+15550001", "correct horse"

Connect = Callable[..., Awaitable[TelegramClient]]


async def wait_until(condition: Callable[[], bool], seconds: float = 5) -> None:
    """Return once the condition holds; fail after the time-out."""
    async with asyncio.timeout(seconds):
        while not condition():  # noqa: ASYNC110 - the client sets no event that a test could wait for
            await asyncio.sleep(0.01)


async def raw(client: TelegramClient, request: Any) -> Any:
    """Send a request as it is, without Telethon's own repetitions and pauses; its inputs must be TL objects."""
    return await client._sender.send(request)


def collect(client: TelegramClient, event: Any) -> list[Any]:
    """The events of a kind, as they arrive."""
    seen: list[Any] = []

    async def note(arrived: Any) -> None:
        seen.append(arrived)

    client.add_event_handler(note, event)
    return seen
