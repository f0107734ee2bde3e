"""The pace of edits in a chat: a few at once, then one in its time, and the last one of a message wins."""

import asyncio
import time

from modules.telegram.lanes import EDITS_AT_ONCE, Lanes

EVERY_S = 0.3
CHAT = 42


async def edit(lanes: Lanes, message_id: int) -> float:
    """Edit a message; when it went out."""
    async with lanes.editing(CHAT, message_id) as newest:
        assert newest
        return time.monotonic()


async def test_a_page_that_is_turned_while_a_send_is_drawn_does_not_wait_for_its_second() -> None:
    lanes, start = Lanes(EVERY_S), time.monotonic()
    for message_id in range(EDITS_AT_ONCE):
        assert await edit(lanes, message_id) - start < EVERY_S


async def test_edits_that_go_on_keep_to_the_pace_that_telegram_asks_for() -> None:
    lanes, start, many = Lanes(EVERY_S), time.monotonic(), 6
    went = [await edit(lanes, message_id) - start for message_id in range(many)]
    assert went[-1] >= (many - EDITS_AT_ONCE) * EVERY_S


async def test_a_rest_earns_no_more_than_the_same_few() -> None:
    lanes = Lanes(EVERY_S)
    await edit(lanes, 1)
    await asyncio.sleep(EVERY_S * 2)
    start = time.monotonic()
    went = [await edit(lanes, message_id) - start for message_id in range(EDITS_AT_ONCE + 1)]
    assert went[-2] < EVERY_S
    assert went[-1] >= EVERY_S * 0.9
