"""The typing sign, shown while an answer is slow."""

import asyncio
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from butler.contract.card import OwnerChannel

TYPING_AFTER_S = 0.5
"""A faster answer needs no typing sign."""
TYPING_LASTS_S = 4.5


@asynccontextmanager
async def typing(channel: OwnerChannel | None, chat: str) -> AsyncGenerator[None, None]:
    """Show the typing sign in a chat while the block runs."""
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
