"""The sign that an answer is coming, as soon as and as long as it is slow."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from butler.contract.card import OwnerChannel

TYPING_AFTER_S = 0.5
"""An answer that takes no longer needs no sign that it is coming."""
TYPING_LASTS_S = 4.5


@asynccontextmanager
async def typing(channel: OwnerChannel | None, chat: str) -> AsyncGenerator[None, None]:
    """Show it while something is done for a chat."""
    if channel is None:
        yield
        return

    async def show(channel: OwnerChannel) -> None:
        await asyncio.sleep(TYPING_AFTER_S)
        while True:
            await channel.typing(chat)
            await asyncio.sleep(TYPING_LASTS_S)

    showing = asyncio.create_task(show(channel), name="typing")
    try:
        yield
    finally:
        showing.cancel()
        await asyncio.wait([showing])
