"""getUpdates as Telegram runs it: confirmation by offset, one poller, 24 hours."""

import asyncio
import time
from typing import Any

from butler_demo.botapi.server import BotApiServer

from .conftest import SAM, TOKEN, Raw, TurnableClock

CONFLICT = "Conflict: terminated by other getUpdates request; make sure that only one bot instance is running"


async def until_polling(server: BotApiServer) -> None:
    await server.wait_for(lambda: server.is_polling(TOKEN))


def texts(updates: list[dict[str, Any]]) -> list[str]:
    return [update["message"]["text"] for update in updates]


async def test_updates_stay_until_an_offset_confirms_them(raw: Raw) -> None:
    for text in ("one", "two", "three"):
        raw.server.say(TOKEN, SAM, text)
    everything = await raw.result("getUpdates")
    assert texts(everything) == ["/start", "one", "two", "three"]
    assert await raw.result("getUpdates", offset=0) == everything
    assert texts(await raw.result("getUpdates", limit=2)) == ["/start", "one"]
    after_two = everything[2]["update_id"] + 1
    assert texts(await raw.result("getUpdates", offset=after_two)) == ["three"]
    assert texts(await raw.result("getUpdates")) == ["three"]
    assert raw.server.pending_updates(TOKEN) == 1


async def test_a_negative_offset_forgets_all_but_the_last(raw: Raw) -> None:
    for text in ("one", "two"):
        raw.server.say(TOKEN, SAM, text)
    assert texts(await raw.result("getUpdates", offset=-1)) == ["two"]
    assert texts(await raw.result("getUpdates")) == ["two"]


async def test_a_long_poll_wakes_at_once(raw: Raw) -> None:
    (start,) = await raw.result("getUpdates")
    poll = asyncio.create_task(raw.result("getUpdates", offset=start["update_id"] + 1, timeout=30))
    await until_polling(raw.server)
    said_at = time.monotonic()
    raw.server.say(TOKEN, SAM, "wake up")
    assert texts(await poll) == ["wake up"]
    assert time.monotonic() - said_at < 1


async def test_a_long_poll_without_news_ends_empty(raw: Raw) -> None:
    (start,) = await raw.result("getUpdates")
    assert await raw.result("getUpdates", offset=start["update_id"] + 1, timeout=1) == []


async def test_a_second_poll_ends_the_first_with_a_conflict(raw: Raw) -> None:
    (start,) = await raw.result("getUpdates")
    offset = start["update_id"] + 1
    first = asyncio.create_task(raw.refusal("getUpdates", offset=offset, timeout=30))
    await until_polling(raw.server)
    second = asyncio.create_task(raw.result("getUpdates", offset=offset, timeout=30))
    assert await first == (409, CONFLICT)
    await until_polling(raw.server)
    raw.server.say(TOKEN, SAM, "to the second")
    assert texts(await second) == ["to the second"]


async def test_polling_is_refused_while_a_webhook_is_set(raw: Raw) -> None:
    status, description = await raw.refusal("setWebhook", url="http://insecure.example")
    assert status == 400
    assert "HTTPS" in description
    await raw.result("setWebhook", url="https://hooks.example/butler")
    assert (await raw.result("getWebhookInfo"))["pending_update_count"] == 1
    status, description = await raw.refusal("getUpdates")
    assert status == 409
    assert "webhook is active" in description
    await raw.result("deleteWebhook", drop_pending_updates=True)
    assert await raw.result("getUpdates") == []


async def test_updates_are_kept_for_24_hours(raw: Raw, clock: TurnableClock) -> None:
    clock.time += 12 * 3600
    raw.server.say(TOKEN, SAM, "noon")
    clock.time += 12 * 3600 + 1
    assert texts(await raw.result("getUpdates")) == ["noon"]
    clock.time += 24 * 3600
    assert await raw.result("getUpdates") == []


async def test_allowed_updates_decide_about_later_updates(raw: Raw) -> None:
    await raw.result("getUpdates", allowed_updates=["message"])
    raw.server.press(TOKEN, SAM, 1, "x")
    raw.server.say(TOKEN, SAM, "kept")
    assert texts(await raw.result("getUpdates")) == ["/start", "kept"]
    await raw.result("getUpdates", allowed_updates=[])
    raw.server.press(TOKEN, SAM, 1, "x")
    assert "callback_query" in (await raw.result("getUpdates"))[-1]


async def test_tb_12_a_confirmed_update_can_be_replayed(raw: Raw) -> None:
    (start,) = await raw.result("getUpdates")
    after = start["update_id"] + 1
    assert await raw.result("getUpdates", offset=after) == []
    raw.server.replay(start["update_id"])
    assert await raw.result("getUpdates", offset=after) == [start]
    assert await raw.result("getUpdates", offset=after) == []
